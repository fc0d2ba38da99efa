// SPDX-License-Identifier: Apache-2.0

// Package gofield finds the Go struct field that a field of a CRD was made from, by its JSON names.
//
// It parses one package and does not load what that imports: a path that leaves the package ends at the last field in it.
package gofield

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// Package is the parsed source of one directory.
type Package struct {
	fset  *token.FileSet
	types map[string]*ast.TypeSpec
}

// Parse reads the Go files of dir, without its tests. Files that do not parse are left out: the generators report them.
func Parse(dir string) (*Package, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	p := &Package{fset: token.NewFileSet(), types: map[string]*ast.TypeSpec{}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(p.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok {
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						p.types[spec.Name.Name] = spec
					}
				}
			}
		}
	}
	return p, nil
}

// Position returns the place of the field that path, a list of JSON names, leads to from the type named root. Where the
// path leads out of the package, it is the place of the last field in it; without any field, that of the type.
func (p *Package) Position(root string, path []string) (at token.Position, ok bool) {
	spec := p.types[root]
	if spec == nil {
		return token.Position{}, false
	}
	pos, typ := spec.Name.Pos(), spec.Type
	for _, name := range path {
		field, next := p.field(typ, name, map[string]bool{})
		if field == nil {
			break
		}
		pos, typ = field.Pos(), next
	}
	return p.fset.Position(pos), true
}

// field returns the name of the field that has a JSON name in a struct type, and its type. Pointers, lists, maps and names lead to the
// struct. seen are the names on the way, of types which may embed each other.
func (p *Package) field(typ ast.Expr, name string, seen map[string]bool) (ast.Node, ast.Expr) {
	typ = unwrap(typ)
	if ident, ok := typ.(*ast.Ident); ok && p.types[ident.Name] != nil && !seen[ident.Name] {
		seen[ident.Name] = true
		return p.field(p.types[ident.Name].Type, name, seen)
	}
	structure, ok := typ.(*ast.StructType)
	if !ok {
		return nil, nil
	}
	for _, f := range structure.Fields.List {
		switch jsonName, inlined := tagOf(f); {
		case jsonName == name && len(f.Names) > 0:
			return f.Names[0], f.Type
		case jsonName == name:
			return f.Type, f.Type
		case len(f.Names) == 0 && jsonName == "" || inlined:
			if found, next := p.field(f.Type, name, seen); found != nil {
				return found, next
			}
		}
	}
	return nil, nil
}

// unwrap removes pointers, lists and maps around a type.
func unwrap(typ ast.Expr) ast.Expr {
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.ArrayType:
			typ = t.Elt
		case *ast.MapType:
			typ = t.Value
		case *ast.ParenExpr:
			typ = t.X
		default:
			return typ
		}
	}
}

func tagOf(f *ast.Field) (name string, inlined bool) {
	if f.Tag == nil {
		return "", false
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return "", false
	}
	name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return name, strings.Contains(","+options+",", ",inline,")
}
