package markerlint

import (
	"go/ast"
	"go/token"
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

// place finds out what each comment belongs to, by lines: that is how gengo does it, and not by the syntax tree.
func (f *file) place() {
	f.places = map[*ast.CommentGroup]place{}
	ends := map[int]*ast.CommentGroup{}
	for _, g := range f.syntax.Comments {
		ends[f.line(g.End())] = g
	}
	mark := func(pos token.Pos, p place) *ast.CommentGroup {
		g := ends[f.line(pos)-1]
		if g != nil {
			f.places[g] |= p
		}
		return g
	}
	for _, decl := range f.syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			mark(d.Name.Pos(), onOther)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					k := kind{spec: s, object: embeds(s, "TypeMeta"), list: embeds(s, "ListMeta")}
					above := s.Name.Pos()
					if g := mark(above, onType); g != nil {
						k.docs = append(k.docs, g)
						above = g.Pos()
					}
					if g := ends[f.line(above)-2]; g != nil {
						f.places[g] |= onType
						k.docs = append(k.docs, g)
					}
					f.kinds = append(f.kinds, k)
					f.placeFields(s.Type, mark)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						mark(n.Pos(), onOther)
					}
				}
			}
		}
	}
}

func (f *file) placeFields(typ ast.Expr, mark func(token.Pos, place) *ast.CommentGroup) {
	ast.Inspect(typ, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok {
			mark(field.Type.Pos(), onField)
			for _, name := range field.Names {
				mark(name.Pos(), onField)
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
	for _, decl := range f.syntax.Decls {
		if g.Pos() > decl.Pos() && g.End() < decl.End() {
			return inBody
		}
	}
	return 0
}

// next is the kind that is the next declaration after a comment, if there is one.
func (f *file) next(g *ast.CommentGroup) *kind {
	for _, decl := range f.syntax.Decls {
		if decl.Pos() < g.End() {
			continue
		}
		for i := range f.kinds {
			if k := &f.kinds[i]; k.spec.Pos() >= decl.Pos() && k.spec.End() <= decl.End() {
				return k
			}
		}
		return nil
	}
	return nil
}

// tagged tells whether gengo finds a tag of a name on a kind.
func (f *file) tagged(k *kind, name string) bool {
	for _, t := range f.tags {
		for _, g := range k.docs {
			if t.group == g && t.name() == name {
				return true
			}
		}
	}
	return false
}

// kindOf is the kind that a comment is on.
func (f *file) kindOf(g *ast.CommentGroup) *kind {
	for i := range f.kinds {
		for _, doc := range f.kinds[i].docs {
			if doc == g {
				return &f.kinds[i]
			}
		}
	}
	return nil
}

func (f *file) line(pos token.Pos) int { return f.fset.Position(pos).Line }

// embeds tells whether a struct embeds one of the types of the package meta/v1.
func embeds(s *ast.TypeSpec, name string) bool {
	st, ok := s.Type.(*ast.StructType)
	if !ok {
		return false
	}
	for _, field := range st.Fields.List {
		if sel, ok := field.Type.(*ast.SelectorExpr); ok && len(field.Names) == 0 && sel.Sel.Name == name {
			return true
		}
	}
	// List types of old embed nothing of that name, but are named so.
	return name == "ListMeta" && strings.HasSuffix(s.Name.Name, "List")
}
