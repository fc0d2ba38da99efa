// SPDX-License-Identifier: Apache-2.0

package openapischema

import (
	"go/ast"
	"reflect"
)

// call is a conversion, the method of a zero value, or a function that the caller lends.
func (f *File) call(x *ast.CallExpr, want reflect.Type) (reflect.Value, error) {
	if pkg, typ, name, ok := f.method(x); ok {
		return f.Packages.Method(pkg, typ, name, want)
	}
	fun := x.Fun
	if generic, ok := fun.(*ast.IndexExpr); ok {
		fun = generic.X // what is wanted says as much as its argument
	}
	if name := f.qualified(fun); name != "" {
		if fn, ok := f.Packages.Funcs[name]; ok {
			if _, ok := fn.(PointerTo); ok {
				return f.pointerTo(x, want)
			}
			return f.apply(x, reflect.ValueOf(fn))
		}
	}
	t, err := f.typeOf(fun)
	if err != nil {
		return reflect.Value{}, f.refuse(x.Fun, "a call of a function that is not known here")
	}
	if len(x.Args) != 1 {
		return reflect.Value{}, f.refuse(x, "a conversion of %d values", len(x.Args))
	}
	return f.Eval(x.Args[0], t)
}

func (f *File) pointerTo(x *ast.CallExpr, want reflect.Type) (reflect.Value, error) {
	if want.Kind() != reflect.Pointer || len(x.Args) != 1 {
		return reflect.Value{}, f.refuse(x, "a pointer where %s is wanted", want)
	}
	v, err := f.Eval(x.Args[0], want.Elem())
	if err != nil {
		return v, err
	}
	p := reflect.New(want.Elem())
	p.Elem().Set(v)
	return p, nil
}

// apply calls a function of the caller's. Those of a library may panic on what they are given.
func (f *File) apply(x *ast.CallExpr, fn reflect.Value) (v reflect.Value, err error) {
	t := fn.Type()
	if t.IsVariadic() || t.NumIn() != len(x.Args) || t.NumOut() != 1 {
		return v, f.refuse(x, "a call with %d arguments", len(x.Args))
	}
	var args []reflect.Value
	for i, arg := range x.Args {
		a, err := f.Eval(arg, t.In(i))
		if err != nil {
			return v, err
		}
		args = append(args, a)
	}
	defer func() {
		if r := recover(); r != nil {
			err = f.refuse(x, "%v", r)
		}
	}()
	return fn.Call(args)[0], nil
}

// method takes T{}.Name() apart.
func (f *File) method(x *ast.CallExpr) (pkg, typ, name string, ok bool) {
	sel, ok := x.Fun.(*ast.SelectorExpr)
	if !ok || len(x.Args) > 0 {
		return "", "", "", false
	}
	lit, ok := ast.Unparen(sel.X).(*ast.CompositeLit)
	if !ok || len(lit.Elts) > 0 {
		return "", "", "", false
	}
	switch t := lit.Type.(type) {
	case *ast.Ident:
		return f.Package, t.Name, sel.Sel.Name, true
	case *ast.SelectorExpr:
		pkg, ok := f.imported(t)
		return pkg, t.Sel.Name, sel.Sel.Name, ok
	}
	return "", "", "", false
}
