// SPDX-License-Identifier: Apache-2.0

package openapischema

import (
	"go/ast"
	"reflect"
)

// imported is the import path of the package in package.Name.
func (f *File) imported(x *ast.SelectorExpr) (string, bool) {
	id, ok := x.X.(*ast.Ident)
	if !ok {
		return "", false
	}
	pkg, ok := f.Imports[id.Name]
	return pkg, ok
}

// qualified is a name with its import path, if it has one.
func (f *File) qualified(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		if pkg, ok := f.imported(x); ok {
			return pkg + "." + x.Sel.Name
		}
	}
	return ""
}

// typeOf is the type that an expression names.
func (f *File) typeOf(e ast.Expr) (reflect.Type, error) {
	switch x := e.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		if t, ok := f.Packages.Types[f.qualified(x)]; ok {
			return t, nil
		}
		if id, ok := x.(*ast.Ident); ok {
			if t, ok := builtins[id.Name]; ok {
				return t, nil
			}
		}
	case *ast.InterfaceType:
		if x.Methods.NumFields() == 0 {
			return reflect.TypeFor[any](), nil
		}
	case *ast.StarExpr:
		t, err := f.typeOf(x.X)
		if err != nil {
			return nil, err
		}
		return reflect.PointerTo(t), nil
	case *ast.ArrayType:
		t, err := f.typeOf(x.Elt)
		if err != nil || x.Len == nil {
			if err != nil {
				return nil, err
			}
			return reflect.SliceOf(t), nil
		}
	case *ast.MapType:
		key, err := f.typeOf(x.Key)
		if err != nil {
			return nil, err
		}
		value, err := f.typeOf(x.Value)
		if err != nil {
			return nil, err
		}
		if key.Kind() == reflect.String {
			return reflect.MapOf(key, value), nil
		}
	}
	return nil, f.refuse(e, "a type that is not known here")
}

var builtins = map[string]reflect.Type{
	"string": reflect.TypeFor[string](), "bool": reflect.TypeFor[bool](), "int": reflect.TypeFor[int](), "int32": reflect.TypeFor[int32](),
	"int64": reflect.TypeFor[int64](), "float64": reflect.TypeFor[float64](), "any": reflect.TypeFor[any](),
}
