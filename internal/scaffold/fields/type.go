// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/goname"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// fieldType is a type of the language.
type fieldType struct {
	prefix string // "*", "[]", "map[string]" or nothing
	base   string // as it was written, without the prefix
	enum   []string
	*known
}

func (t fieldType) list() bool     { return t.prefix == "[]" }
func (t fieldType) dict() bool     { return t.prefix == "map[string]" }
func (t fieldType) single() bool   { return !t.list() && !t.dict() }
func (t fieldType) String() string { return t.prefix + t.base }

// into is how a path enters a field of the type.
func (t fieldType) into() string {
	return map[string]string{"[]": "[]", "map[string]": "{}"}[t.prefix]
}

var (
	typeRule  = lazyregexp.New(`^(\*|\[\]|map\[string\])?([^*\[\]]*)$`)
	enumRule  = lazyregexp.New(`^enum\((.*)\)$`)
	enumValue = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9._/ -]*[A-Za-z0-9])?$`)
)

// parseType reads a type. With an error, it is a string.
func parseType(s string) (t fieldType, err error) {
	t.known = builtin["string"]
	m := typeRule.FindStringSubmatch(s)
	if m == nil {
		return t, fmt.Errorf("the type %q has more than one of *, [] and map[string], or a map whose keys are not strings; make an object of what is inside, with names such as items[].name", s)
	}
	t.prefix, t.base = m[1], m[2]
	if m := enumRule.FindStringSubmatch(t.base); m != nil {
		t.enum, err = enumValues(m[1])
		return t, err
	}
	if k, ok := knownTypes()[t.base]; ok && k.family != kind {
		t.known = k
		return t, nil
	}
	return t, fmt.Errorf("the type %q is not known; %s", t.base, typeHint(t.base))
}

// enumValues reads what is between the brackets of enum(…).
func enumValues(list string) ([]string, error) {
	values := strings.Split(list, ",")
	seen := map[string]string{}
	for i, v := range values {
		v = strings.TrimSpace(v)
		values[i] = v
		if !enumValue.MatchString(v) {
			return nil, fmt.Errorf("the value %q of enum(%s) must be ASCII letters, digits, dots, hyphens, slashes and spaces, and begin and end with a letter or a digit, for example enum(Pending,Ready)", v, list)
		}
		name := goname.Camel(v)
		if other, ok := seen[name]; ok {
			return nil, fmt.Errorf("the values %q and %q of enum(%s) would have the same name in Go; remove one", other, v, list)
		}
		seen[name] = v
	}
	return values, nil
}

// typeHints are for types that APIs do not have.
var typeHints = []struct{ types, hint string }{
	{"int uint uint32 uint64 int8 int16 uint8 uint16 integer number", "use int32 or int64, so that every client agrees on the size"},
	{"float32 float64 float double", "clients in other languages do not keep fractions exactly: use resource.Quantity or a string"},
	{"interface{} any", "use runtime.RawExtension for an arbitrary object"},
}

// typeHint returns what to write instead of a type that is not known.
func typeHint(base string) string {
	for _, h := range typeHints {
		if slices.Contains(strings.Fields(h.types), base) {
			return h.hint
		}
	}
	all := knownTypes()
	if all[base] != nil {
		return "it is a kind, whose objects are stored separately; refer to one by its name, or use a type inside it, such as corev1.PodSpec"
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool { return all[name].family == kind })
	if near := text.DidYouMean(base, names); near != "" {
		return "did you mean " + near + "?"
	}
	common := []string{"string", "bool", "int32", "int64"}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "corev1.") || slices.Contains(common, name) })
	names = append(append(common, "enum(A,B)"), names...)
	return fmt.Sprintf("use %s or a type of k8s.io/api/core/v1 such as corev1.PodTemplateSpec, optionally prefixed with *, [] or map[string]", strings.Join(names, ", "))
}
