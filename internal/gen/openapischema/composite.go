// SPDX-License-Identifier: Apache-2.0

package openapischema

import (
	"go/ast"
	"reflect"
)

// composite is a literal with braces.
func (f *File) composite(x *ast.CompositeLit, t reflect.Type) (reflect.Value, error) {
	switch t.Kind() {
	case reflect.Struct:
		return f.structure(x, t)
	case reflect.Map:
		return f.mapping(x, t)
	case reflect.Slice:
		return f.list(x, t)
	}
	return reflect.Value{}, f.refuse(x, "a literal of %s", t)
}

func (f *File) structure(x *ast.CompositeLit, t reflect.Type) (reflect.Value, error) {
	out := reflect.New(t).Elem()
	for _, elt := range x.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return out, f.refuse(elt, "a value of %s without the name of its field", t)
		}
		name, ok := kv.Key.(*ast.Ident)
		if !ok {
			return out, f.refuse(kv.Key, "not the name of a field")
		}
		field, ok := t.FieldByName(name.Name)
		if !ok || len(field.Index) != 1 || !field.IsExported() {
			return out, f.refuse(kv.Key, "%s has no field %s", t, name.Name)
		}
		v, err := f.Eval(kv.Value, field.Type)
		if err != nil {
			return out, err
		}
		out.FieldByIndex(field.Index).Set(v)
	}
	return out, nil
}

func (f *File) mapping(x *ast.CompositeLit, t reflect.Type) (reflect.Value, error) {
	out := reflect.MakeMap(t)
	if t.Key().Kind() != reflect.String {
		return out, f.refuse(x, "a map with keys of %s", t.Key())
	}
	for _, elt := range x.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return out, f.refuse(elt, "a value of a map without its key")
		}
		key, err := f.Eval(kv.Key, t.Key())
		if err != nil {
			return out, err
		}
		v, err := f.Eval(kv.Value, t.Elem())
		if err != nil {
			return out, err
		}
		out.SetMapIndex(key, v)
	}
	return out, nil
}

func (f *File) list(x *ast.CompositeLit, t reflect.Type) (reflect.Value, error) {
	out := reflect.MakeSlice(t, 0, len(x.Elts))
	for _, elt := range x.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			return out, f.refuse(kv, "a value of a list with its index")
		}
		v, err := f.Eval(elt, t.Elem())
		if err != nil {
			return out, err
		}
		out = reflect.Append(out, v)
	}
	return out, nil
}
