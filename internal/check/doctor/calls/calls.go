// SPDX-License-Identifier: Apache-2.0

// Package calls reads from the Go code of a controller, with its types, what it does with objects: what it asks the API server for, which
// objects it makes the owners of others, and which objects of a cache it changes.
//
// It judges nothing: it knows neither roles nor which kinds have a namespace. What has no type, or only that of an interface, is left out. Of
// a request it notes whether its client certainly is one of the cluster that the controller runs in.
package calls

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Type is the Go type of an object.
type Type struct{ Package, Name string }

// Request is something that code asks the API server for.
type Request struct {
	Type        Type
	Subresource string
	Verbs       []string // all of them are needed, or with Any one of them
	Any         bool
	Call        string // as in client.Update
	At          token.Position
	// Own reports whether it certainly is a request to the cluster that the controller runs in, as that of a manager's client; a client of
	// another cluster, and one whose origin is not known, needs other roles or none.
	Own bool
}

// Ownership is an owner reference that code sets.
type Ownership struct {
	Owner     Type
	Dependent Type // without a name if it is not known
	Blocks    bool // the reference blocks the deletion of the owner
	Refused   bool // the function that sets it refuses an owner in a namespace for an object without one
	Call      string
	At        token.Position
}

// Change is one of an object in a cache.
type Change struct {
	Object string // as in pod.Labels
	Call   string // that returned what is in the cache, as in podLister.Get
	At     token.Position
}

// Found is what some packages do.
type Found struct {
	Requests   []Request
	Ownerships []Ownership
	Changes    []Change
}

// Of reads packages, which have Syntax and TypesInfo.
func Of(pkgs []*packages.Package) (all Found) {
	origins := originsOf(pkgs)
	for _, p := range pkgs {
		r := reader{Package: p, found: &all, origins: origins}
		for _, file := range p.Syntax {
			if ast.IsGenerated(file) {
				continue
			}
			ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					r.request(call)
					r.ownership(call, stack)
				}
				return true
			})
			for _, decl := range file.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
					r.changes(fn.Body)
				}
			}
		}
	}
	return all
}

// reader reads one package.
type reader struct {
	*packages.Package
	found   *Found
	origins *origins
}

func (r reader) at(n ast.Node) token.Position { return r.Fset.Position(n.Pos()) }

// callee is the function or method that is called, or a variable that has one; nil if its type is not known.
func (r reader) callee(call *ast.CallExpr) (importPath, name string, fn types.Object) {
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		id = fun.Sel
	case *ast.Ident:
		id = fun
	case *ast.IndexExpr: // with a type argument
		if s, ok := fun.X.(*ast.SelectorExpr); ok {
			id = s.Sel
		}
	}
	if id == nil {
		return "", "", nil
	}
	fn = r.TypesInfo.Uses[id]
	if fn == nil || fn.Pkg() == nil {
		return "", "", nil
	}
	return fn.Pkg().Path(), fn.Name(), fn
}

// receiver is what a method is called on; nil for a function.
func receiver(call *ast.CallExpr) ast.Expr {
	if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		return s.X
	}
	return nil
}

// named is the type with a name behind a pointer; nil for any other.
func named(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// typeOf is the type of an object; false for one that only an interface is known of, and for what is not an API type.
func typeOf(t types.Type) (Type, bool) {
	n := named(t)
	if n == nil || n.Obj().Pkg() == nil {
		return Type{}, false
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok || !embeds(s, "TypeMeta") {
		return Type{}, false
	}
	return Type{n.Obj().Pkg().Path(), n.Obj().Name()}, true
}

func embeds(s *types.Struct, name string) bool {
	for f := range s.Fields() {
		if f.Embedded() && f.Name() == name {
			return true
		}
	}
	return false
}

// itemOf is the type of the items of a list.
func itemOf(t types.Type) (Type, bool) {
	n := named(t)
	if n == nil {
		return Type{}, false
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok {
		return Type{}, false
	}
	for f := range s.Fields() {
		if items, ok := f.Type().Underlying().(*types.Slice); ok && f.Name() == "Items" {
			return typeOf(items.Elem())
		}
	}
	// The loader leaves out fields that no code selects.
	if item, ok := strings.CutSuffix(n.Obj().Name(), "List"); ok && n.Obj().Pkg() != nil && embeds(s, "ListMeta") {
		return Type{n.Obj().Pkg().Path(), item}, true
	}
	return Type{}, false
}

// text is an expression as it is written, if it is a short one of names and calls.
func text(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return text(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		return text(e.Fun) + "()"
	case *ast.IndexExpr:
		return text(e.X) + "[]"
	case *ast.StarExpr:
		return "*" + text(e.X)
	case *ast.TypeAssertExpr:
		return text(e.X)
	}
	return "…"
}
