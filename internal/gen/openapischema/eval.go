// SPDX-License-Identifier: Apache-2.0

package openapischema

import (
	"go/ast"
	"go/token"
	"reflect"
)

// Eval is the value of an expression where a value of the type is wanted.
func (f *File) Eval(e ast.Expr, want reflect.Type) (reflect.Value, error) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return f.Eval(x.X, want)
	case *ast.CompositeLit:
		t := want
		if x.Type != nil {
			var err error
			if t, err = f.typeOf(x.Type); err != nil {
				return reflect.Value{}, err
			}
		}
		return f.fit(e, want, func() (reflect.Value, error) { return f.composite(x, t) })
	case *ast.CallExpr:
		return f.fit(e, want, func() (reflect.Value, error) { return f.call(x, want) })
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return f.fit(e, want, func() (reflect.Value, error) { return f.address(x, want) })
		}
	case *ast.Ident:
		if x.Name == "nil" {
			switch want.Kind() {
			case reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
				return reflect.Zero(want), nil
			}
		}
	}
	c, err := f.constant(e)
	if err != nil {
		return reflect.Value{}, err
	}
	v, ok := convert(c, want)
	if !ok {
		return v, f.refuse(e, "%s where %s is wanted", c, want)
	}
	return v, nil
}

// fit makes a value and holds it to the type that is wanted.
func (f *File) fit(e ast.Expr, want reflect.Type, make func() (reflect.Value, error)) (reflect.Value, error) {
	v, err := make()
	if err != nil {
		return v, err
	}
	if !v.Type().AssignableTo(want) {
		return v, f.refuse(e, "%s where %s is wanted", v.Type(), want)
	}
	out := reflect.New(want).Elem()
	out.Set(v)
	return out, nil
}

// address is &T{...}.
func (f *File) address(x *ast.UnaryExpr, want reflect.Type) (reflect.Value, error) {
	lit, ok := x.X.(*ast.CompositeLit)
	if !ok || lit.Type == nil {
		return reflect.Value{}, f.refuse(x, "the address of something that is not a literal")
	}
	t, err := f.typeOf(lit.Type)
	if err != nil {
		return reflect.Value{}, err
	}
	v, err := f.composite(lit, t)
	if err != nil {
		return v, err
	}
	p := reflect.New(t)
	p.Elem().Set(v)
	return p, nil
}
