// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/types"
	"reflect"
)

// role is the part of an API object that a type is in.
type role int

const (
	root role = 1 << iota // the object itself
	other
	status // what its field Status leads to
)

// reachable are the types that API objects are made of, by package path and name: those that embed a TypeMeta and an ObjectMeta or a
// ListMeta, and the types of their fields. Internal versions, which are never serialized and have no JSON tags, are not among them.
func reachable(pkgs []*pkg) map[string]role {
	r := reach{map[string]role{}, map[*types.Package]bool{}}
	for _, p := range pkgs {
		r.own[p.Types] = true
	}
	for _, p := range pkgs {
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			if t, ok := scope.Lookup(name).(*types.TypeName); ok && isObject(t.Type()) {
				r.visit(t.Type(), root)
			}
		}
	}
	return r.seen
}

// isObject reports whether a type is that of objects that an API server serves, or of a list of them.
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
	seen map[string]role
	own  map[*types.Package]bool
}

func (r reach) visit(t types.Type, as role) {
	switch t := t.(type) {
	case *types.Named:
		o := t.Obj()
		if o.Pkg() == nil || !r.own[o.Pkg()] {
			return
		}
		name := o.Pkg().Path() + "." + o.Name()
		if r.seen[name]&as != 0 {
			return
		}
		r.seen[name] |= as
		for arg := range t.TypeArgs().Types() {
			r.visit(arg, as)
		}
		r.visit(t.Underlying(), as)
		r.visit(t.Origin().Underlying(), as)
	case *types.Alias:
		if o := t.Obj(); o.Pkg() != nil && r.own[o.Pkg()] {
			r.seen[o.Pkg().Path()+"."+o.Name()] |= as
		}
		r.visit(t.Rhs(), as)
	case *types.Pointer:
		r.visit(t.Elem(), as)
	case *types.Slice:
		r.visit(t.Elem(), as)
	case *types.Array:
		r.visit(t.Elem(), as)
	case *types.Map:
		r.visit(t.Key(), as)
		r.visit(t.Elem(), as)
	case *types.Struct:
		for i := range t.NumFields() {
			name := reflect.StructTag(t.Tag(i)).Get("json")
			below := as
			switch {
			case name == "-":
				continue
			case as == root && t.Field(i).Name() == "Items":
				continue // an object of its own
			case as == root && t.Field(i).Name() == "Status":
				below = status
			case as == root:
				below = other
			}
			r.visit(t.Field(i).Type(), below)
		}
	}
}
