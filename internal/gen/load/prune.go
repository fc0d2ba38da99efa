package load

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// prune drops the function bodies of a file, and of a package that is merely imported all functions and variables as
// well: generators ask for the types of their input, and for the structure, comments and exported methods of types that
// it refers to.
func prune(f *ast.File, whole bool) {
	kept := f.Decls[:0]
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			d.Body = nil
			if !whole && (d.Recv == nil || !d.Name.IsExported()) {
				continue
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				if !whole {
					continue
				}
				dropValues(d)
			}
		}
		kept = append(kept, decl)
	}
	f.Decls = kept
}

// dropValues takes the initial values from variables that say their type.
func dropValues(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && v.Type != nil {
			v.Values = nil
		}
	}
}

// dropImports takes out the imports that the declarations of a file no longer use. Where it can't tell, because the name
// of a package is not known before it is read, the import stays.
func dropImports(f *ast.File) {
	used := usedNames(f) // and whether an import of that name was found
	keep := map[*ast.ImportSpec]bool{}
	var unsure []*ast.ImportSpec
	for _, spec := range f.Imports {
		names := guessNames(spec)
		if spec.Name != nil {
			names = []string{spec.Name.Name}
		}
		for _, name := range names {
			if _, ok := used[name]; ok || name == "." {
				keep[spec] = true
				used[name] = true
			}
		}
		if !keep[spec] && spec.Name == nil {
			unsure = append(unsure, spec)
		}
	}
	for _, found := range used {
		if !found {
			for _, spec := range unsure {
				keep[spec] = true
			}
			break
		}
	}
	f.Imports = slices.DeleteFunc(f.Imports, func(s *ast.ImportSpec) bool { return !keep[s] })
	f.Decls = slices.DeleteFunc(f.Decls, func(decl ast.Decl) bool {
		d, ok := decl.(*ast.GenDecl)
		if ok && d.Tok == token.IMPORT {
			d.Specs = slices.DeleteFunc(d.Specs, func(s ast.Spec) bool { return !keep[s.(*ast.ImportSpec)] })
		}
		return ok && len(d.Specs) == 0
	})
}

// usedNames are the names that stand before a dot, without those that the file itself declares.
func usedNames(f *ast.File) map[string]bool {
	used := map[string]bool{}
	for _, decl := range f.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := sel.X.(*ast.Ident); ok {
					used[id.Name] = false
				}
			}
			return true
		})
	}
	for _, decl := range f.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok != token.IMPORT {
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					delete(used, s.Name.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						delete(used, id.Name)
					}
				}
			}
		}
	}
	return used
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// guessNames are what a package may be called, by its path: k8s.io/klog/v2 is klog, k8s.io/api/apps/v1 is v1.
func guessNames(spec *ast.ImportSpec) []string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return nil
	}
	names := []string{path.Base(p)}
	if majorVersion.MatchString(names[0]) {
		names = append(names, path.Base(path.Dir(p)))
	}
	for _, name := range names {
		short, _, _ := strings.Cut(name, ".v") // gopkg.in/yaml.v3
		short = strings.TrimSuffix(strings.TrimPrefix(short, "go-"), "-go")
		names = append(names, short, strings.ReplaceAll(name, "-", "_"), strings.ReplaceAll(name, "-", ""))
	}
	return names
}
