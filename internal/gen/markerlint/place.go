// SPDX-License-Identifier: Apache-2.0

package markerlint

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// place is where a comment stands, as gengo sees it; a comment may stand in several.
type place int

const (
	onType  place = 1 << iota // right above a type, or above that comment with one line between
	onField                   // right above a field or a method of an interface
	onOther                   // right above a constant, a variable or a function
	inBody                    // inside of a declaration, and above nothing
)

func (p place) has(q place) bool { return p&q != 0 }

// kind is a type that is declared at the top of a file.
type kind struct {
	file *file
	spec *ast.TypeSpec
	docs []*ast.CommentGroup // what gengo reads for it
	// object reports whether it embeds a TypeMeta, as what the API server serves does, and list whether it is a list of such.
	object, list bool
}

// place finds out what each comment belongs to, by lines: that is how gengo does it, and not by the syntax tree.
func (f *file) place() {
	f.places, f.docs = map[*ast.CommentGroup]place{}, map[*ast.CommentGroup]*kind{}
	ends := map[int]*ast.CommentGroup{}
	for _, g := range f.syntax.Comments {
		ends[f.line(g.End())] = g
	}
	mark := func(line int, p place) *ast.CommentGroup {
		g := ends[line]
		if g != nil {
			f.places[g] |= p
		}
		return g
	}
	for _, decl := range f.syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			mark(f.line(decl.Name.Pos())-1, onOther)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					f.placeType(s, mark)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						mark(f.line(n.Pos())-1, onOther)
					}
				}
			}
		}
	}
}

// placeType marks the comments of a type and of its fields; mark marks the one that ends on a line, and returns it.
func (f *file) placeType(s *ast.TypeSpec, mark func(line int, p place) *ast.CommentGroup) {
	k := &kind{file: f, spec: s, object: embeds(s, "TypeMeta"), list: embeds(s, "ListMeta")}
	above := f.line(s.Name.Pos())
	closest := mark(above-1, onType)
	if closest != nil {
		above = f.line(closest.Pos())
	}
	for _, g := range []*ast.CommentGroup{closest, mark(above-2, onType)} {
		if g != nil {
			k.docs = append(k.docs, g)
			f.docs[g] = cmp.Or(f.docs[g], k)
		}
	}
	f.kinds = append(f.kinds, k)
	ast.Inspect(s.Type, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok {
			mark(f.line(field.Type.Pos())-1, onField)
			for _, name := range field.Names {
				mark(f.line(name.Pos())-1, onField)
			}
		}
		return true
	})
}

// placeOf is the place of a comment.
func (f *file) placeOf(g *ast.CommentGroup) place {
	if p := f.places[g]; p != 0 {
		return p
	}
	if slices.ContainsFunc(f.syntax.Decls, func(decl ast.Decl) bool { return g.Pos() > decl.Pos() && g.End() < decl.End() }) {
		return inBody
	}
	return 0
}

// next is the kind that is the next declaration after a comment, or nil.
func (f *file) next(g *ast.CommentGroup) *kind {
	i := slices.IndexFunc(f.syntax.Decls, func(decl ast.Decl) bool { return decl.Pos() >= g.End() })
	if i < 0 {
		return nil
	}
	decl := f.syntax.Decls[i]
	if i = slices.IndexFunc(f.kinds, func(k *kind) bool { return k.spec.Pos() >= decl.Pos() && k.spec.End() <= decl.End() }); i < 0 {
		return nil
	}
	return f.kinds[i]
}

func (f *file) line(pos token.Pos) int { return f.fset.Position(pos).Line }

// embeds reports whether a struct embeds one of the types of the package meta/v1.
func embeds(s *ast.TypeSpec, name string) bool {
	st, ok := s.Type.(*ast.StructType)
	if !ok {
		return false
	}
	return slices.ContainsFunc(st.Fields.List, func(field *ast.Field) bool {
		sel, ok := field.Type.(*ast.SelectorExpr)
		return ok && len(field.Names) == 0 && sel.Sel.Name == name
	}) || name == "ListMeta" && strings.HasSuffix(s.Name.Name, "List") // list types of old embed nothing of that name
}

func (k *kind) name() string { return k.spec.Name.Name }

// tagged reports whether gengo finds a tag of one of some names on a kind.
func (k *kind) tagged(names ...string) bool {
	return slices.ContainsFunc(k.file.tags, func(t tag) bool { return slices.Contains(k.docs, t.group) && slices.Contains(names, t.name()) })
}

// resourceName is the plural that +resourceName gives a kind, or "".
func (k *kind) resourceName() string {
	// gengo takes the first, and of the comments the one that is farther from the type.
	for _, g := range slices.Backward(k.docs) {
		for _, t := range k.file.tags {
			if v, ok := t.value(); ok && t.group == g && t.name() == "resourceName" {
				return v
			}
		}
	}
	return ""
}

// find is a mistake at the name of the kind.
func (k *kind) find(format string, args ...any) Finding {
	at := k.file.fset.Position(k.spec.Name.Pos())
	return Finding{File: k.file.path, Line: at.Line, Col: at.Column, Severity: Error, About: Plural, Message: fmt.Sprintf(format, args...)}
}

// at is the place of the kind.
func (k *kind) at() string {
	f := k.find("")
	return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Col)
}
