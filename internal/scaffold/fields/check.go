package fields

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
)

// check holds a value against the type and the rules, and returns it in the form in which it is written.
func (f *Field) check(v any) (any, error) {
	switch {
	case f.typ.list():
		list, ok := v.([]any)
		if !ok {
			return nil, fmt.Errorf("%s is not a list; write one in brackets, such as [a, b]", asJSON(v))
		}
		return f.checkList(list)
	case f.typ.dict():
		dict, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s is not a map; write one in braces, such as {a: b}", asJSON(v))
		}
		if n, low := int64(len(dict)), f.rules.bound("minProperties", 0); n < low || n > f.rules.bound("maxProperties", math.MaxInt64) {
			return nil, fmt.Errorf("%s has %d entries, which minProperties or maxProperties does not allow; correct it", asJSON(v), n)
		}
		out := entries{}
		for _, key := range slices.Sorted(maps.Keys(dict)) {
			made, err := f.checkElement(dict[key])
			if err != nil {
				return nil, err
			}
			out = append(out, entry{key, made})
		}
		return out, nil
	}
	made, err := f.checkElement(v)
	if err != nil {
		return nil, err
	}
	return made, f.checkRules(made)
}

func (f *Field) checkList(list []any) (any, error) {
	if n, low := int64(len(list)), f.rules.bound("minItems", 0); n < low || n > f.rules.bound("maxItems", math.MaxInt64) {
		return nil, fmt.Errorf("%s has %d items, which minItems or maxItems does not allow; correct it", asJSON(list), n)
	}
	out := make([]any, len(list))
	seen := map[string]bool{}
	for i, v := range list {
		made, err := f.checkElement(v)
		if err != nil {
			return nil, err
		}
		if key := f.itemKey(made); key != "" {
			if seen[key] {
				return nil, fmt.Errorf("%s has an item twice, which listType=%s does not allow; leave one out", asJSON(list), f.rules.listType)
			}
			seen[key] = true
		}
		out[i] = made
	}
	return out, nil
}

// itemKey is what may be in a list only once, or empty.
func (f *Field) itemKey(item any) string {
	switch f.rules.listType {
	case "set":
		return asJSON(item)
	case "map":
		var keys []any
		object, _ := item.(entries)
		for _, key := range f.rules.listMapKeys {
			i := slices.IndexFunc(object, func(e entry) bool { return e.key == key })
			if i < 0 {
				return "" // it has its default, or the check of the object has said so
			}
			keys = append(keys, object[i].value)
		}
		return asJSON(keys)
	}
	return ""
}

// checkElement holds a value against the type without its list or map.
func (f *Field) checkElement(v any) (any, error) {
	wrong := func(want string) error { return fmt.Errorf("%s is not %s; correct it", asJSON(v), want) }
	number64 := func() (int64, bool) {
		switch n := v.(type) {
		case int64:
			return n, true
		case json.Number:
			i, err := integer(f.typ, n.String())
			return i, err == nil
		}
		return 0, false
	}
	s, isString := v.(string)
	var err error
	switch f.typ.family {
	case boolean:
		if _, ok := v.(bool); !ok {
			return nil, wrong("true or false")
		}
		return v, nil
	case number:
		n, ok := number64()
		if !ok {
			return nil, wrong("an " + f.typ.base)
		}
		return n, nil
	case intOrString:
		if n, ok := number64(); ok && n == int64(int32(n)) {
			return n, nil
		}
	case duration:
		_, err = time.ParseDuration(s)
	case instant:
		_, err = time.Parse(time.RFC3339Nano, s)
	case quantity:
		if n, ok := v.(json.Number); ok {
			s, isString = n.String(), true
		}
		_, err = resource.ParseQuantity(s)
	case structure:
		return f.checkObject(v)
	case foreign, anything:
		return f.checkForeign(v)
	}
	if !isString || err != nil {
		return nil, wrong(map[family]string{text: "a string", intOrString: "an integer or a string", duration: "a duration such as 1h30m", instant: "a time such as 2026-01-31T12:00:00Z", quantity: "a quantity such as 500m or 1Gi"}[f.typ.family])
	}
	if f.typ.enum != nil && !slices.Contains(f.typ.enum, s) {
		return nil, fmt.Errorf("%q is not one of %s; use one of them", s, asJSON(f.typ.enum))
	}
	return s, nil
}

func (f *Field) checkObject(v any) (any, error) {
	dict, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s is not an object; write one in braces, such as {a: b}", asJSON(v))
	}
	out := entries{}
	for _, child := range f.object.fields {
		value, ok := dict[child.name]
		if !ok && child.rules.required {
			return nil, fmt.Errorf("%s has no %s, which is required; add it", asJSON(v), child.name)
		}
		if !ok {
			continue
		}
		made, err := child.check(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", child.name, err)
		}
		out = append(out, entry{child.name, made})
		delete(dict, child.name)
	}
	for _, key := range slices.Sorted(maps.Keys(dict)) {
		return nil, fmt.Errorf("there is no field %s in %s; leave it out, or add it with another --field", key, f.path)
	}
	return out, nil
}

// checkForeign has the type of Kubernetes itself read the value.
func (f *Field) checkForeign(v any) (any, error) {
	dict, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s is not an object; write one in braces, such as {a: b}", asJSON(v))
	}
	if f.typ.family == foreign {
		if err := yaml.UnmarshalStrict([]byte(asJSON(v)), reflect.New(f.typ.known.goType).Interface()); err != nil {
			return nil, fmt.Errorf("%s is not a %s; correct it: %w", asJSON(v), f.typ.base, innermost(err))
		}
	}
	return sorted(dict), nil
}

func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
