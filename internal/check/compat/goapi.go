// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// goPackage is what a Go package offers to those who import it, as its syntax shows it: exported types, their exported fields, and constants.
type goPackage struct {
	dir    string
	types  map[string]*goType
	consts map[string]goConst
	files  map[string]int // the lines of their package clauses
}

type goType struct {
	at     rule.Place
	is     string // the type; empty for a struct
	alias  bool
	fields map[string]goField
	uses   map[string]bool // names of types of the package that it is made of
}

type goField struct {
	at        rule.Place
	typ, json string
	uses      map[string]bool
}

type goConst struct{ file, value string }

// parseGo parses the files of a package, without tests.
func parseGo(dir string, files map[string][]byte) (*goPackage, error) {
	p := &goPackage{dir: dir, types: map[string]*goType{}, consts: map[string]goConst{}, files: map[string]int{}}
	for _, name := range sortedKeys(files) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s := source{fset, file, name}
		p.files[name] = fset.Position(file.Name.Pos()).Line
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok {
				p.declare(s, decl)
			}
		}
	}
	return p, nil
}

func (p *goPackage) declare(s source, decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			p.types[spec.Name.Name] = s.typeOf(spec)
		case *ast.ValueSpec:
			for i, name := range spec.Names {
				if !name.IsExported() || decl.Tok != token.CONST {
					continue
				}
				c := goConst{file: s.name}
				if i < len(spec.Values) {
					c.value = s.text(spec.Values[i])
				}
				p.consts[name.Name] = c
			}
		}
	}
}

// source is a file with its positions.
type source struct {
	fset *token.FileSet
	file *ast.File
	name string
}

func (s source) at(pos token.Pos) rule.Place {
	at := s.fset.Position(pos)
	return rule.Place{File: s.name, Line: at.Line, Col: at.Column}
}

func (s source) typeOf(spec *ast.TypeSpec) *goType {
	t := &goType{at: s.at(spec.Name.Pos()), alias: spec.Assign.IsValid(), fields: map[string]goField{}, uses: map[string]bool{}}
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		if methods, ok := spec.Type.(*ast.InterfaceType); ok { // whose order is no part of the type
			slices.SortFunc(methods.Methods.List, func(a, b *ast.Field) int { return strings.Compare(s.field(a), s.field(b)) })
		}
		t.is = s.text(spec.Type)
		names(spec.Type, t.uses)
		return t
	}
	for _, f := range structure.Fields.List {
		field := goField{typ: s.text(f.Type), uses: map[string]bool{}}
		names(f.Type, field.uses)
		names(f.Type, t.uses)
		if f.Tag != nil {
			if tag, err := strconv.Unquote(f.Tag.Value); err == nil {
				field.json, _, _ = strings.Cut(reflect.StructTag(tag).Get("json"), ",")
			}
		}
		for _, name := range f.Names {
			field.at = s.at(name.Pos())
			t.fields[name.Name] = field
		}
		if len(f.Names) == 0 {
			field.at = s.at(f.Type.Pos())
			_, called, _ := strings.Cut("."+path.Base(strings.TrimLeft(field.typ, "*")), ".")
			if i := strings.LastIndex(called, "."); i >= 0 {
				called = called[i+1:]
			}
			t.fields[called] = field
		}
	}
	return t
}

// names collects the names of the package's own types in a type.
func names(typ ast.Expr, into map[string]bool) {
	ast.Inspect(typ, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			return false
		case *ast.Field: // of a struct without a name, whose field's names are none of types
			names(n.Type, into)
			return false
		case *ast.Ident:
			into[n.Name] = true
		}
		return true
	})
}

// text is an expression, in which packages have their paths instead of the names that a file imports them by. How the file lays it out, in lines
// and with empty ones, is no part of it.
func (s source) text(e ast.Expr) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), e); err != nil {
		return ""
	}
	text := b.String()
	if !strings.Contains(text, ".") {
		return text
	}
	ast.Inspect(e, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok {
			text = strings.ReplaceAll(text, x.Name+"."+selector.Sel.Name, s.imported(x.Name)+"."+selector.Sel.Name)
		}
		return false
	})
	return text
}

// field is the name and the type of a field or method, or what is embedded.
func (s source) field(f *ast.Field) string {
	if len(f.Names) > 0 {
		return f.Names[0].Name + " " + s.text(f.Type)
	}
	return s.text(f.Type)
}

func (s source) imported(name string) string {
	for _, spec := range s.file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && path.Base(imported) == name {
			return imported
		}
	}
	return name
}
