package detect

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/safefs"
)

// fieldTypes are the types of other packages that the structs in a folder have fields of: their names, with the import
// paths that the sources give for each.
func (d *discovery) fieldTypes(dir string) map[string][]string {
	if known, ok := d.fields[dir]; ok {
		return known
	}
	all := map[string][]string{}
	full := filepath.Join(d.Root, filepath.FromSlash(dir))
	entries, err := os.ReadDir(full)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "zz_generated") || strings.HasSuffix(name, ".pb.go") {
			continue
		}
		data, err := safefs.ReadFile(filepath.Join(full, name), safefs.MaxFile)
		if err != nil {
			continue
		}
		if f := repo.NewGoFile(name, data); f != nil && f.Generator != "" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution)
		if err != nil {
			continue // the generators say what is wrong with it
		}
		addFieldTypes(all, file, repo.ImportsOf(name, data))
	}
	if d.fields == nil {
		d.fields = map[string]map[string][]string{}
	}
	d.fields[dir] = all
	return all
}

func addFieldTypes(all map[string][]string, file *ast.File, imports map[string]repo.Import) {
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range s.Fields.List {
			ast.Inspect(field.Type, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := sel.X.(*ast.Ident); ok {
						if in, ok := imports[x.Name]; ok {
							all[sel.Sel.Name] = append(all[sel.Sel.Name], in.Path)
						}
					}
				}
				return true
			})
		}
		return true
	})
}
