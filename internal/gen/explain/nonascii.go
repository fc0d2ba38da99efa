package explain

import (
	"fmt"
	"go/token"
	"regexp"
	"unicode/utf8"

	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/load"
)

// notUTF8 are the words of a formatter that was handed half a letter.
var notUTF8 = regexp.MustCompile(`made code that is not Go: .*illegal (UTF-8|character)`)

// nonASCII are the types whose names begin with a letter of several bytes, with their places: the generators of clients change
// the case of the first byte.
func nonASCII(root string, g *load.Graph, paths []string, said string) error {
	if !notUTF8.MatchString(said) {
		return nil
	}
	var lines []string
	for _, path := range paths {
		p := g.Packages[path]
		if p == nil || p.Types == nil {
			continue
		}
		for _, name := range p.Types.Scope().Names() {
			if name[0] >= utf8.RuneSelf && token.IsExported(name) {
				at := g.Fset.Position(p.Types.Scope().Lookup(name).Pos())
				lines = append(lines, fmt.Sprintf("%s: %s begins with a letter that is not ASCII, of which the generators make code that is not Go", at, name))
			}
		}
	}
	return diag.WithHint("generate code for the API packages", root, "rename it", lines...)
}
