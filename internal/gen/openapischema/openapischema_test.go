// SPDX-License-Identifier: Apache-2.0

package openapischema

import (
	"encoding/json"
	"errors"
	"go/constant"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Thing is what the tests write down.
type Thing struct {
	Name   string
	Count  *int64
	Ratio  float64
	Small  int32
	On     bool
	Any    any
	List   []string
	Things []Thing
	Named  map[string]Thing
	Inner  *Thing
	hidden string //nolint:unused // what a literal can not name
}

func double(s string) string { return s + s }

func packages() *Packages {
	return &Packages{
		Types: map[string]reflect.Type{"example.com/t.Thing": reflect.TypeFor[Thing]()},
		Funcs: map[string]any{
			"double": double, "example.com/p.To": PointerTo{},
			"example.com/t.Panic": func() string { panic("at the disco") },
		},
		Const: func(pkg, name string) (constant.Value, bool) {
			return constant.MakeString(pkg + "/" + name), strings.HasPrefix(name, "Const")
		},
		Method: func(pkg, typ, name string, want reflect.Type) (reflect.Value, error) {
			if want.Kind() != reflect.String {
				return reflect.Value{}, errors.New("no such method")
			}
			return reflect.ValueOf(pkg + "/" + typ + "/" + name).Convert(want), nil
		},
	}
}

func evaluate(src string) (any, error) {
	fset := token.NewFileSet()
	e, err := parser.ParseExprFrom(fset, "x.go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &File{Fset: fset, Package: "self", Imports: map[string]string{"t": "example.com/t", "p": "example.com/p"}, Packages: packages()}
	v, err := f.Eval(e, reflect.TypeFor[Thing]())
	if err != nil {
		return nil, err
	}
	return v.Interface(), nil
}

func TestEval(t *testing.T) {
	n := int64(-7)
	for src, want := range map[string]Thing{
		`t.Thing{}`:                                                    {},
		`(t.Thing{Name: "a" })`:                                        {Name: "a"},
		"t.Thing{Name: `a\"`}":                                         {Name: `a"`},
		`t.Thing{Name: double("a")}`:                                   {Name: "aa"},
		`t.Thing{Name: ConstHere}`:                                     {Name: "self/ConstHere"},
		`t.Thing{Name: t.ConstThere}`:                                  {Name: "example.com/t/ConstThere"},
		`t.Thing{Name: t.Thing{}.Text()}`:                              {Name: "example.com/t/Thing/Text"},
		`t.Thing{Name: Mine{}.Text()}`:                                 {Name: "self/Mine/Text"},
		`t.Thing{Name: string("a")}`:                                   {Name: "a"},
		`t.Thing{Count: p.To[int64](-7)}`:                              {Count: &n},
		`t.Thing{Count: p.To(-7)}`:                                     {Count: &n},
		`t.Thing{Count: nil, Any: nil}`:                                {},
		`t.Thing{Ratio: 1.5e+06, Small: 3}`:                            {Ratio: 1.5e6, Small: 3},
		`t.Thing{Ratio: 2, On: true}`:                                  {Ratio: 2, On: true},
		`t.Thing{Any: 1}`:                                              {Any: int64(1)},
		`t.Thing{Any: 1.5}`:                                            {Any: 1.5},
		`t.Thing{Any: interface{}(nil)}`:                               {},
		`t.Thing{Any: []interface {}{1, "a"}}`:                         {Any: []any{int64(1), "a"}},
		`t.Thing{Any: map[string]interface {}{"a": map[string]any{}}}`: {Any: map[string]any{"a": map[string]any{}}},
		`t.Thing{Any: t.Thing{On: true}}`:                              {Any: Thing{On: true}},
		`t.Thing{List: []string{"a", "b"}}`:                            {List: []string{"a", "b"}},
		`t.Thing{List: []string(nil)}`:                                 {},
		`t.Thing{Things: []t.Thing{{Name: "a"}, t.Thing{}}}`:           {Things: []Thing{{Name: "a"}, {}}},
		`t.Thing{Named: map[string]t.Thing{"a": {On: true}}}`:          {Named: map[string]Thing{"a": {On: true}}},
		`t.Thing{Inner: &t.Thing{Name: "a"}}`:                          {Inner: &Thing{Name: "a"}},
	} {
		got, err := evaluate(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if !reflect.DeepEqual(got, want) {
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			t.Errorf("%s:\n%s\nwant:\n%s", src, a, b)
		}
	}
}

func TestEvalRefuses(t *testing.T) {
	for src, want := range map[string]string{
		`1`:                                  "x.go:1:1: 1 where openapischema.Thing is wanted",
		`nil`:                                "x.go:1:1: nil is not a constant",
		`t.Other{}`:                          "x.go:1:1: a type that is not known here",
		`t.Thing{"a"}`:                       "x.go:1:9: a value of openapischema.Thing without the name of its field",
		`t.Thing{hidden: "a"}`:               "x.go:1:9: openapischema.Thing has no field hidden",
		`t.Thing{Nick: "a"}`:                 "x.go:1:9: openapischema.Thing has no field Nick",
		`t.Thing{Name: "a" + "b"}`:           "x.go:1:15: not a literal",
		`t.Thing{Name: name}`:                "x.go:1:15: name is not a constant",
		`t.Thing{Name: t.Name}`:              "x.go:1:15: example.com/t.Name is not a constant of a package that the API packages import",
		`t.Thing{Name: !true}`:               "x.go:1:15: not a literal",
		`t.Thing{Name: 1}`:                   "x.go:1:15: 1 where string is wanted",
		`t.Thing{Name: double()}`:            "x.go:1:15: a call with 0 arguments",
		`t.Thing{Name: triple("a")}`:         "x.go:1:15: a call of a function that is not known here",
		`t.Thing{Name: t.Panic()}`:           "x.go:1:15: at the disco",
		`t.Thing{On: t.Thing{}.Text()}`:      "no such method",
		`t.Thing{Small: 1.5}`:                "x.go:1:16: 1.5 where int32 is wanted",
		`t.Thing{Small: 4294967296}`:         "x.go:1:16: 4294967296 where int32 is wanted",
		`t.Thing{Any: 99999999999999999999}`: "x.go:1:14: 99999999999999999999 where interface {} is wanted",
		`t.Thing{Name: p.To("a")}`:           "x.go:1:15: a pointer where string is wanted",
		`t.Thing{List: []string{0: "a"}}`:    "x.go:1:24: a value of a list with its index",
		`t.Thing{List: [1]string{"a"}}`:      "x.go:1:15: a type that is not known here",
		`t.Thing{List: []int{1}}`:            "x.go:1:15: []int where []string is wanted",
		`t.Thing{Any: map[int]int{1: 1}}`:    "x.go:1:14: a type that is not known here",
		`t.Thing{Inner: &t.ConstThere}`:      "x.go:1:16: the address of something that is not a literal",
		`func() t.Thing { return x }()`:      "x.go:1:1: a call of a function that is not known here",
	} {
		_, err := evaluate(src)
		assert.EqualError(t, err, want, src)
	}
}

// Whatever is written, it is a value or an error.
func FuzzEval(f *testing.F) {
	for _, src := range []string{
		`t.Thing{Named: map[string]t.Thing{"a": {On: true}}, Any: []any{1, -1.5, nil}, Count: p.To[int64](1)}`,
		`t.Thing{Inner: &t.Thing{Name: double(string("a"))}, Things: []t.Thing{{}}}`,
		`t.Thing{Any: map[any]any{[]any{}: 1}}`, `t.Thing{Any: *t.Thing(nil)}`, `t.Thing{Any: -"a"}`, `t.Thing{Any: 1i}`, `t.Thing{Any: 'a'}`,
		`t.Thing{Any: (&Thing{}).A()}`, `t.Thing{Any: {}}`, `t.Thing{Any: t.Thing(1)}`, `t.Thing{Any: +1e999999999}`,
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if v, err := evaluate(src); err == nil {
			_, ok := v.(Thing)
			assert.True(t, ok, "%s: %T", src, v)
		}
	})
}
