// SPDX-License-Identifier: Apache-2.0

package change

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/internal/workspace"
)

// Declared are the names that the Go files of a directory of the project declare, less those of generated files: they follow the
// others. What does not parse is left out; the generators report it.
func Declared(root, dir string) []string {
	files, err := workspace.Glob(filepath.Join(root, filepath.FromSlash(dir)), "*.go")
	if err != nil {
		return nil
	}
	var names []string
	for _, name := range files {
		if strings.HasPrefix(filepath.Base(name), "zz_generated.") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil {
					names = append(names, n.Name.Name)
				}
			case *ast.TypeSpec:
				names = append(names, n.Name.Name)
			case *ast.ValueSpec:
				for _, name := range n.Names {
					names = append(names, name.Name)
				}
			default:
				return true
			}
			return false // what is inside is not the package's
		})
	}
	return names
}
