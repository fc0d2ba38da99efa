// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// tear takes out of a package what does not compile, and the fields whose types depend on it: what would be found there is not known. Types
// that lack fields then are in torn.
func (p *pkg) tear() {
	wrong := map[string][]int{} // lines by file
	for _, e := range p.TypeErrors {
		at := e.Fset.Position(e.Pos)
		wrong[at.Filename] = append(wrong[at.Filename], at.Line)
	}
	on := func(from, to token.Pos) bool {
		first, last := p.Fset.Position(from), p.Fset.Position(to)
		return slices.ContainsFunc(wrong[first.Filename], func(line int) bool { return first.Line <= line && line <= last.Line })
	}
	p.torn = map[*ast.TypeSpec]bool{}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool {
				spec, ok := s.(*ast.TypeSpec)
				if !ok {
					return false
				}
				in := false // is what is wrong in fields alone?
				ast.Inspect(spec.Type, func(n ast.Node) bool {
					if s, ok := n.(*ast.StructType); ok {
						s.Fields.List = slices.DeleteFunc(s.Fields.List, func(f *ast.Field) bool {
							here := on(f.Pos(), f.End())
							in = in || here
							here = here || isWrong(p.TypesInfo.TypeOf(f.Type), nil)
							p.torn[spec] = p.torn[spec] || here
							return here
						})
					}
					return true
				})
				return on(spec.Name.Pos(), spec.Name.End()) || !in && on(spec.Pos(), spec.End())
			})
		}
		f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
			g, ok := d.(*ast.GenDecl)
			return ok && g.Tok == token.TYPE && len(g.Specs) == 0
		})
	}
}

// isWrong reports whether a type does not compile, or one that its values are made of without a struct of a name between.
func isWrong(t types.Type, seen []types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return isWrong(t.Elem(), seen)
	case *types.Slice:
		return isWrong(t.Elem(), seen)
	case *types.Array:
		return isWrong(t.Elem(), seen)
	case *types.Map:
		return isWrong(t.Key(), seen) || isWrong(t.Elem(), seen)
	case *types.Named:
		if _, ok := t.Underlying().(*types.Struct); ok || slices.Contains(seen, types.Type(t)) {
			return false
		}
		return isWrong(t.Underlying(), append(seen, t))
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(t.Fields()), func(f *types.Var) bool { return isWrong(f.Type(), seen) })
	default:
		return t == nil || t == types.Typ[types.Invalid]
	}
}
