package explain

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/safefs"
)

var (
	optionalAndRequired = regexp.MustCompile(`member (\w+) cannot be both optional and required`)
	optionalTag         = regexp.MustCompile(`(?m)^\s*//\s*\+(optional|k8s:optional)\b`)
	requiredTag         = regexp.MustCompile(`(?m)^\s*//\s*\+(required|k8s:required)\b`)
)

// bothTags finds the fields that kube-openapi says are both optional and required: it names neither the type nor the file.
func bothTags(root string, sources Sources, said string) error {
	m := optionalAndRequired.FindStringSubmatch(said)
	if m == nil {
		return nil
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		src, err := safefs.ReadFile(filepath.Join(root, filepath.FromSlash(name)), safefs.MaxFile)
		if err != nil || !bytes.Contains(src, []byte(m[1])) {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok || field.Doc == nil {
				return true
			}
			doc := src[fset.Position(field.Doc.Pos()).Offset:fset.Position(field.Doc.End()).Offset]
			for _, id := range field.Names {
				if id.Name == m[1] && optionalTag.Match(doc) && requiredTag.Match(doc) {
					lines = append(lines, fmt.Sprintf("%s: %s has both +optional and +required", fset.Position(id.Pos()), id.Name))
				}
			}
			return true
		})
	}
	return diag.WithHint("build the OpenAPI schema", root, "keep one of the two tags", lines...)
}
