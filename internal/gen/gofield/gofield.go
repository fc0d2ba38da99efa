// SPDX-License-Identifier: Apache-2.0

// Package gofield finds the Go struct field that a field of a CRD was made from, by its JSON names.
//
// It parses files and type-checks nothing. A path that leaves the modules of the source tree ends at the last field in them.
package gofield

import (
	"go/ast"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// Field is a field of a struct type, or a type itself.
type Field struct {
	Position token.Position // of the name
	// Docs are the comments that can have its markers: its own first, then those of the named types that it has.
	Docs []*ast.CommentGroup
	// Type and Name are the struct type that declares the field, and the field's name, empty for a type itself.
	Type, Name string
	// Foreign is the type in which the path left the source tree, as in k8s.io/api/core/v1.PodSpec; empty if it did not.
	Foreign string
	// Partial is set where the path goes on, to a field that the source does not have, or has in another module.
	Partial bool

	pkg *Package
	own bool // the first of Docs is its own, not that of its type
}

// Line is a line of a comment.
type Line struct {
	Position token.Position // of the text
	Text     string         // without the slashes and the space around
}

// Lines are the lines of the comments Docs.
func (f Field) Lines() []Line {
	var lines []Line
	for _, doc := range f.Docs {
		for _, c := range doc.List {
			text, ok := strings.CutPrefix(c.Text, "//")
			if !ok {
				continue
			}
			trimmed := strings.TrimLeft(text, " \t")
			at := f.pkg.fset.Position(c.Pos())
			at.Column += len(c.Text) - len(trimmed)
			lines = append(lines, Line{at, strings.TrimRight(trimmed, " \t\r")})
		}
	}
	return lines
}

// Position returns the place of the field that path, a list of JSON names, leads to from the type named root. Where the
// path leads out of the source, it is the place of the last field in it; without any field, that of the type.
func (p *Package) Position(root string, path []string) (at token.Position, ok bool) {
	f, ok := p.Field(root, path)
	return f.Position, ok
}

// Field returns the field that Position is the place of. Names of items and of values of maps are not in the path.
func (p *Package) Field(root string, path []string) (Field, bool) {
	at, _, ok := p.walk(root, path)
	return at, ok
}

// TypeOf returns the type that the field has, behind pointers, lists and maps: its declaration in the source, or else the field, with the
// foreign type.
func (p *Package) TypeOf(root string, path []string) (Field, bool) {
	at, w, ok := p.walk(root, path)
	if !ok || at.Partial {
		return at, ok
	}
	w, docs, foreign := w.resolve()
	if t := w.pkg.types[w.named]; foreign == "" && t != nil && t.spec.Type == w.typ {
		return Field{Position: p.fset.Position(t.spec.Name.Pos()), Docs: docs, Type: w.named, pkg: w.pkg, own: t.commented()}, true
	}
	at.Foreign = foreign
	return at, true
}

// walk goes as far along a path as there is source.
func (p *Package) walk(root string, path []string) (at Field, w where, ok bool) {
	t := p.types[root]
	if t == nil {
		return Field{}, where{}, false
	}
	at = Field{Position: p.fset.Position(t.spec.Name.Pos()), Docs: t.docs(), Type: root, pkg: p, own: t.commented()}
	w = where{p, t.file, t.spec.Type, root}
	for _, name := range path {
		next, to, foreign := w.field(name, map[*ast.TypeSpec]bool{})
		if next.pkg == nil {
			at.Foreign, at.Partial = foreign, true
			break
		}
		at, w = next, to
	}
	return at, w, true
}

// where is a type expression and the file that it stands in.
type where struct {
	pkg   *Package
	file  *ast.File
	typ   ast.Expr
	named string // the type declaration that it is in
}

// field returns the field that has a JSON name in a struct type, and its type. Pointers, lists, maps and names lead to the
// struct. seen are the types on the way, which may embed each other. Where a type of another module is in the way, it is foreign.
func (w where) field(name string, seen map[*ast.TypeSpec]bool) (_ Field, to where, foreign string) {
	w, _, foreign = w.resolve()
	structure, ok := w.typ.(*ast.StructType)
	if !ok {
		return Field{}, where{}, foreign
	}
	for _, f := range structure.Fields.List {
		jsonName, inlined := tagOf(f)
		own := where{w.pkg, w.file, f.Type, w.named}
		switch {
		case jsonName == name:
			node, called := ast.Node(f.Type), ""
			if len(f.Names) > 0 {
				node, called = f.Names[0], f.Names[0].Name
			}
			found := Field{Position: w.pkg.fset.Position(node.Pos()), Type: w.named, Name: called, pkg: w.pkg}
			if f.Doc != nil {
				found.Docs, found.own = append(found.Docs, f.Doc), true
			}
			_, of, _ := own.resolve()
			found.Docs = append(found.Docs, of...)
			return found, own, ""
		case len(f.Names) == 0 && jsonName == "" || inlined:
			if spec := own.spec(); spec != nil {
				if seen[spec] {
					continue
				}
				seen[spec] = true
			}
			found, next, out := own.field(name, seen)
			if found.pkg != nil {
				return found, next, ""
			}
			if foreign == "" {
				foreign = out
			}
		}
	}
	return Field{}, where{}, foreign
}

// resolve follows pointers, lists, maps and names to the type that they lead to, and collects the comments of the names.
func (w where) resolve() (to where, docs []*ast.CommentGroup, foreign string) {
	for range 100 { // types that name each other in a circle do not compile
		w.typ = unwrap(w.typ)
		switch w.typ.(type) {
		case *ast.Ident, *ast.SelectorExpr:
			next, out := w.declared()
			if next == nil {
				return w, docs, out
			}
			docs = append(docs, next.docs()...)
			w = where{next.pkg, next.file, next.spec.Type, next.spec.Name.Name}
		default:
			return w, docs, ""
		}
	}
	return w, docs, ""
}

// spec is the declaration of the type that pointers, lists and maps around a name lead to; nil for any other.
func (w where) spec() *ast.TypeSpec {
	w.typ = unwrap(w.typ)
	if next, _ := w.declared(); next != nil {
		return next.spec
	}
	return nil
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

// declared is the declaration of a name; nil for one that is built in or of another module, which is then foreign.
func (w where) declared() (found *declaration, foreign string) {
	switch t := w.typ.(type) {
	case *ast.Ident:
		return w.pkg.types[t.Name], ""
	case *ast.SelectorExpr:
		x, ok := t.X.(*ast.Ident)
		if !ok {
			return nil, ""
		}
		path := importOf(w.file, x.Name)
		if other := w.pkg.source.imported(path, w.pkg.dir); other != nil && other.types[t.Sel.Name] != nil {
			return other.types[t.Sel.Name], ""
		}
		return nil, path + "." + t.Sel.Name
	}
	return nil, ""
}

// importOf is the path that a file imports under a name; that of a package that is named otherwise than its path ends is not found.
func importOf(file *ast.File, name string) string {
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && (path == name || strings.HasSuffix(path, "/"+name)) {
			return path
		}
	}
	return ""
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
