// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"go/types"
	"path/filepath"
	"regexp"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/workspace"
)

var undefined = lazyregexp.New(`^undefined: (\w+)$`)

// TypeErrors returns what is wrong with the types that generators read. Upstream's generators work on what is left of such types, and
// fail with obscure errors or make code that does not compile.
func TypeErrors(root string, g *load.Graph) error {
	var said []string
	for _, e := range g.Wrong {
		at := e.Fset.Position(e.Pos)
		if m := undefined.FindStringSubmatch(e.Msg); m != nil && generated(filepath.Dir(at.Filename), m[1]) {
			continue
		}
		said = append(said, types.Error{Fset: e.Fset, Pos: e.Pos, Msg: e.Msg}.Error())
	}
	return diag.New("the API packages do not compile", root, said...)
}

// generated reports whether a directory declares a name in a file that the generators leave out, as GroupName is in what
// register-gen writes.
func generated(dir, name string) bool {
	declared := regexp.MustCompile(`(?m)^(?:(?:type|const|var)\s+|func\s+)` + name + `\b|^\t` + name + `\s[^:=\n]*=`)
	files, err := workspace.Glob(dir, "*.go")
	if err != nil {
		return false
	}
	for _, file := range files {
		src, err := safefs.ReadFile(file, safefs.MaxFile)
		if err == nil && codegen.IsGenerated(src) && declared.Match(src) {
			return true
		}
	}
	return false
}
