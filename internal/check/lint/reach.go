// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/types"
	"reflect"
)

// reachable are the types that API objects are made of, by package path and name: those that embed a TypeMeta and an ObjectMeta or a
// ListMeta, and the types of their fields. Internal versions, which are never serialized and have no JSON tags, are not among them.
func reachable(pkgs []*pkg) map[string]bool {
	r := reach{map[string]bool{}, map[*types.Package]bool{}}
	for _, p := range pkgs {
		r.own[p.Types] = true
	}
	for _, p := range pkgs {
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			if t, ok := scope.Lookup(name).(*types.TypeName); ok && isObject(t.Type()) {
				r.visit(t.Type())
			}
		}
	}
	return r.seen
}

// isObject reports whether a type is that of objects that an API server serves.
func isObject(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	has := map[string]bool{}
	for i := range s.NumFields() {
		if f := s.Field(i); f.Embedded() && reflect.StructTag(s.Tag(i)).Get("json") != "" {
			has[f.Name()] = true
		}
	}
	return has["TypeMeta"] && (has["ObjectMeta"] || has["ListMeta"])
}

type reach struct {
	seen map[string]bool
	own  map[*types.Package]bool
}

func (r reach) visit(t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		o := t.Obj()
		if o.Pkg() == nil || !r.own[o.Pkg()] || r.seen[o.Pkg().Path()+"."+o.Name()] {
			return
		}
		r.seen[o.Pkg().Path()+"."+o.Name()] = true
		for arg := range t.TypeArgs().Types() {
			r.visit(arg)
		}
		r.visit(t.Underlying())
		r.visit(t.Origin().Underlying())
	case *types.Alias:
		if o := t.Obj(); o.Pkg() != nil && r.own[o.Pkg()] {
			r.seen[o.Pkg().Path()+"."+o.Name()] = true
		}
		r.visit(t.Rhs())
	case *types.Pointer:
		r.visit(t.Elem())
	case *types.Slice:
		r.visit(t.Elem())
	case *types.Array:
		r.visit(t.Elem())
	case *types.Map:
		r.visit(t.Key())
		r.visit(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if reflect.StructTag(t.Tag(i)).Get("json") != "-" {
				r.visit(t.Field(i).Type())
			}
		}
	}
}
