// SPDX-License-Identifier: Apache-2.0

package openapischema

import (
	"go/ast"
	"go/constant"
	"go/token"
	"reflect"
)

// constant is the value of a constant expression.
func (f *File) constant(e ast.Expr) (constant.Value, error) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return f.constant(x.X)
	case *ast.BasicLit:
		if v := constant.MakeFromLiteral(x.Value, x.Kind, 0); v.Kind() != constant.Unknown {
			return v, nil
		}
	case *ast.UnaryExpr:
		v, err := f.constant(x.X)
		if err != nil {
			return nil, err
		}
		if numeric := v.Kind() == constant.Int || v.Kind() == constant.Float; numeric && (x.Op == token.SUB || x.Op == token.ADD) {
			return constant.UnaryOp(x.Op, v, 0), nil
		}
	case *ast.Ident:
		if x.Name == "true" || x.Name == "false" {
			return constant.MakeBool(x.Name == "true"), nil
		}
		if v, ok := f.Packages.Const(f.Package, x.Name); ok {
			return v, nil
		}
		return nil, f.refuse(e, "%s is not a constant", x.Name)
	case *ast.SelectorExpr:
		pkg, ok := f.imported(x)
		if !ok {
			break
		}
		if v, ok := f.Packages.Const(pkg, x.Sel.Name); ok {
			return v, nil
		}
		return nil, f.refuse(e, "%s.%s is not a constant of a package that the API packages import", pkg, x.Sel.Name)
	}
	return nil, f.refuse(e, "not a literal")
}

// convert is a constant as a value of a type; as an interface it is what encoding/json writes in the same way.
func convert(c constant.Value, want reflect.Type) (reflect.Value, bool) {
	out := reflect.New(want).Elem()
	float, _ := constant.Float64Val(constant.ToFloat(c))
	whole, isWhole := constant.Int64Val(constant.ToInt(c))
	isNumber := c.Kind() == constant.Int || c.Kind() == constant.Float
	var v any
	switch kind := want.Kind(); {
	case c.Kind() == constant.String && (kind == reflect.String || kind == reflect.Interface):
		v = constant.StringVal(c)
	case c.Kind() == constant.Bool && (kind == reflect.Bool || kind == reflect.Interface):
		v = constant.BoolVal(c)
	case out.CanInt() && isNumber && isWhole && !out.OverflowInt(whole), kind == reflect.Interface && c.Kind() == constant.Int && isWhole:
		v = whole
	case out.CanFloat() && isNumber, kind == reflect.Interface && c.Kind() == constant.Float:
		v = float
	}
	if v == nil || !reflect.TypeOf(v).ConvertibleTo(want) {
		return out, false
	}
	return reflect.ValueOf(v).Convert(want), true
}
