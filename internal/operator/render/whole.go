// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"reflect"
)

var (
	intType = reflect.TypeFor[int]()
	anyType = reflect.TypeFor[any]()
)

// acceptWhole makes a function that takes ints accept every whole number that a template has: a number in a template is an int, but one in
// the request is an int64, which text/template does not convert. Functions without such parameters are returned as they are.
func acceptWhole(f any) any {
	call := reflect.ValueOf(f)
	t := call.Type()
	var in, out []reflect.Type
	same := true
	for i := range t.NumIn() {
		in = append(in, widened(t.In(i)))
		same = same && in[i] == t.In(i)
	}
	if same {
		return f
	}
	for i := range t.NumOut() {
		out = append(out, t.Out(i))
	}
	return reflect.MakeFunc(reflect.FuncOf(in, out, t.IsVariadic()), func(args []reflect.Value) []reflect.Value {
		for i, arg := range args {
			args[i] = narrowed(arg, t.In(i))
		}
		if t.IsVariadic() {
			return call.CallSlice(args)
		}
		return call.Call(args)
	}).Interface()
}

func widened(t reflect.Type) reflect.Type {
	switch t {
	case intType:
		return anyType
	case reflect.SliceOf(intType):
		return reflect.SliceOf(anyType)
	}
	return t
}

// narrowed converts an argument to the parameter's own type. text/template turns the panic into the error of the call.
func narrowed(arg reflect.Value, to reflect.Type) reflect.Value {
	switch {
	case arg.Type() == to:
		return arg
	case to == intType:
		switch v := arg.Interface().(type) {
		case int:
			return reflect.ValueOf(v)
		case int64:
			return reflect.ValueOf(int(v))
		default:
			panic(fmt.Errorf("%v is not a whole number; convert it with int", v))
		}
	}
	ints := reflect.MakeSlice(to, arg.Len(), arg.Len())
	for i := range arg.Len() {
		ints.Index(i).Set(narrowed(arg.Index(i), intType))
	}
	return ints
}
