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
	if want.Kind() == reflect.Interface {
		var v any
		switch c.Kind() {
		case constant.String:
			v = constant.StringVal(c)
		case constant.Bool:
			v = constant.BoolVal(c)
		case constant.Int:
			n, ok := constant.Int64Val(c)
			if !ok {
				return reflect.Value{}, false
			}
			v = n
		case constant.Float:
			v, _ = constant.Float64Val(c)
		}
		out := reflect.New(want).Elem()
		if v == nil || !reflect.TypeOf(v).AssignableTo(want) {
			return out, false
		}
		out.Set(reflect.ValueOf(v))
		return out, true
	}
	out := reflect.New(want).Elem()
	switch want.Kind() {
	case reflect.String:
		if c.Kind() == constant.String {
			out.SetString(constant.StringVal(c))
			return out, true
		}
	case reflect.Bool:
		if c.Kind() == constant.Bool {
			out.SetBool(constant.BoolVal(c))
			return out, true
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, exact := constant.Int64Val(constant.ToInt(c))
		if exact && !out.OverflowInt(n) {
			out.SetInt(n)
			return out, true
		}
	case reflect.Float32, reflect.Float64:
		if c.Kind() == constant.Int || c.Kind() == constant.Float {
			n, _ := constant.Float64Val(constant.ToFloat(c))
			out.SetFloat(n)
			return out, true
		}
	}
	return out, false
}
