// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"sort"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/gen/gofield"
)

// decl is the declaration of a type, or of a field in it.
type decl struct {
	from, to token.Pos // with its comment
	name     token.Pos
	owner    string // the type
	field    string // empty for the type itself
	spec     *ast.TypeSpec
	ast      *ast.Field // nil for the type itself
	depth    int        // in structs that have no name of their own
	role     role       // of the type, where a finding is about the declaration
}

// index notes where the types and fields of a package are.
func (p *pkg) index() {
	p.docs = map[*ast.TypeSpec]*ast.CommentGroup{}
	for _, f := range p.Syntax {
		for g, spec := range gofield.Types(f) {
			from := spec.Pos()
			if !g.Lparen.IsValid() {
				from = g.Pos()
			}
			for _, doc := range []*ast.CommentGroup{g.Doc, spec.Doc} {
				if doc != nil {
					from = min(from, doc.Pos())
				}
			}
			p.docs[spec] = p.docOf(f, g, spec)
			p.decls = append(p.decls, decl{from: from, to: spec.End(), name: spec.Name.Pos(), owner: spec.Name.Name, spec: spec})
			p.fields(spec, spec.Type, 0)
		}
	}
	sort.SliceStable(p.decls, func(i, j int) bool { return p.decls[i].from < p.decls[j].from })
}

// fields notes the fields of a struct, and of structs in it.
func (p *pkg) fields(spec *ast.TypeSpec, e ast.Expr, depth int) {
	ast.Inspect(e, func(n ast.Node) bool {
		s, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range s.Fields.List {
			p.decls = append(p.decls, declOf(spec, f, depth))
			p.fields(spec, f.Type, depth+1)
		}
		return false
	})
}

// docOf are the comments with markers of a type, from the top.
func (p *pkg) docOf(f *ast.File, g *ast.GenDecl, spec *ast.TypeSpec) *ast.CommentGroup {
	all := &ast.CommentGroup{}
	for _, doc := range slices.Backward(gofield.Docs(p.Fset, f, g, spec)) {
		all.List = append(all.List, doc.List...)
	}
	return all
}

func declOf(spec *ast.TypeSpec, f *ast.Field, depth int) decl {
	d := decl{from: f.Pos(), to: f.End(), name: f.Type.Pos(), owner: spec.Name.Name, spec: spec, ast: f, depth: depth}
	if f.Doc != nil {
		d.from = f.Doc.Pos()
	}
	if d.field = gofield.FieldName(f); len(f.Names) > 0 {
		d.name = f.Names[0].Pos()
	}
	return d
}

// at is the innermost declaration that a position is in.
func (p *pkg) at(pos token.Pos) (decl, bool) {
	for i := sort.Search(len(p.decls), func(i int) bool { return p.decls[i].from > pos }) - 1; i >= 0; i-- {
		if pos <= p.decls[i].to {
			return p.decls[i], true
		}
	}
	return decl{}, false
}

// subject names a declaration in findings.
func (p *pkg) subject(d decl) string {
	if d.field == "" {
		return p.dir + "." + d.owner
	}
	return p.dir + "." + d.owner + "." + d.field
}

func (p *pkg) place(pos token.Pos) rule.Place {
	at := p.Fset.Position(pos)
	rel, err := filepath.Rel(p.root, at.Filename)
	if err != nil {
		rel = at.Filename
	}
	return rule.Place{File: filepath.ToSlash(rel), Line: at.Line, Col: at.Column}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
