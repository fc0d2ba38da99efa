// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/crdctl/crdctl/internal/gen/gofield"
)

// split returns the types of a package that are served, each in a file of its own: kube-api-linter walks the whole file for each of its
// fields.
func (p *pkg) split(served map[string]role) (files []*ast.File) {
	specs := map[types.Object]*ast.TypeSpec{}
	for _, f := range p.Syntax {
		for _, spec := range gofield.Types(f) {
			specs[p.TypesInfo.Defs[spec.Name]] = spec
		}
	}
	for _, f := range p.Syntax {
		before, comments := f.Name.End(), f.Comments
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE || !p.anyServed(g, served) {
				before = d.End()
				continue
			}
			one := &ast.File{Package: before, Name: f.Name, Decls: []ast.Decl{g}, FileStart: f.FileStart, FileEnd: f.FileEnd, GoVersion: f.GoVersion}
			for len(comments) > 0 && comments[0].Pos() < d.End() {
				if comments[0].Pos() >= before {
					one.Comments = append(one.Comments, comments[0])
				}
				comments = comments[1:]
			}
			before = d.End()
			p.resolve(g, specs)
			files = append(files, one)
		}
	}
	return files
}

func (p *pkg) anyServed(g *ast.GenDecl, served map[string]role) bool {
	for _, s := range g.Specs {
		if spec, ok := s.(*ast.TypeSpec); ok && served[p.PkgPath+"."+spec.Name.Name] != 0 {
			return true
		}
	}
	return false
}

// resolve notes the declarations of the package's types at their names, where kube-api-linter looks first.
func (p *pkg) resolve(g *ast.GenDecl, specs map[types.Object]*ast.TypeSpec) {
	ast.Inspect(g, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Obj == nil {
			if spec := specs[p.TypesInfo.Uses[id]]; spec != nil {
				id.Obj = &ast.Object{Kind: ast.Typ, Name: id.Name, Decl: spec} //nolint:staticcheck // kube-api-linter reads it
			}
		}
		return true
	})
}
