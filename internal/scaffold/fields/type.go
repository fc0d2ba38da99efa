package fields

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/goname"
)

// family is what kind of value a type has in JSON, which decides the rules that fit it.
type family string

const (
	word        family = "string"
	boolean     family = "bool"
	number      family = "integer"
	duration    family = "duration"
	instant     family = "time"
	quantity    family = "quantity"
	intOrString family = "int or string"
	anything    family = "any object"
	structure   family = "object"    // of this project
	foreign     family = "structure" // of Kubernetes
	kind        family = "kind"      // of Kubernetes, whose objects are not fields of others
)

// fieldType is a type of the language.
type fieldType struct {
	prefix string // "*", "[]", "map[string]" or nothing
	base   string // as it was written, without the prefix
	family family
	enum   []string // of enum(…)
	known  *known   // of a package of Kubernetes
}

func (t fieldType) list() bool   { return t.prefix == "[]" }
func (t fieldType) dict() bool   { return t.prefix == "map[string]" }
func (t fieldType) single() bool { return !t.list() && !t.dict() }

// what is the type in words, for errors.
func (t fieldType) what() string {
	switch {
	case t.list():
		return "a list"
	case t.dict():
		return "a map"
	case t.enum != nil:
		return "an enum"
	}
	return t.base
}

var (
	typeRule  = regexp.MustCompile(`^(\*|\[\]|map\[string\])?([^*\[\]]*)$`)
	enumRule  = regexp.MustCompile(`^enum\((.*)\)$`)
	enumValue = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._/ -]*[A-Za-z0-9])?$`)
)

// builtin are the types that need no import.
var builtin = map[string]family{"string": word, "bool": boolean, "int32": number, "int64": number, "object": structure}

// parseType reads a type.
func parseType(s string) (fieldType, error) {
	m := typeRule.FindStringSubmatch(s)
	if m == nil {
		return fieldType{}, fmt.Errorf("the type %q has more than one of *, [] and map[string], or a map whose keys are no strings; make an object of what is inside, with names such as items[].name", s)
	}
	t := fieldType{prefix: m[1], base: m[2]}
	if f, ok := builtin[t.base]; ok {
		t.family = f
		return t, nil
	}
	if m := enumRule.FindStringSubmatch(t.base); m != nil {
		t.family = word
		var err error
		t.enum, err = enumValues(m[1])
		return t, err
	}
	if k, ok := knownTypes()[t.base]; ok && k.family != kind {
		t.known, t.family = k, k.family
		return t, nil
	}
	return t, unknownType(t.base)
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
			return nil, fmt.Errorf("the values %q and %q of enum(%s) would have the same name in Go; leave one out", other, v, list)
		}
		seen[name] = v
	}
	return values, nil
}

// basics are the types without an import, as errors list them.
const basics = "string, bool, int32, int64, object, enum(A,B)"

// unknownType says why a type is none, and what may have been meant.
func unknownType(base string) error {
	switch base {
	case "int", "uint", "uint32", "uint64", "int8", "int16", "uint8", "uint16", "integer", "number":
		return fmt.Errorf("the type %q is none of an API; integers are int32 or int64, so that every client agrees on their size", base)
	case "float32", "float64", "float", "double":
		return fmt.Errorf("the type %q is none of an API; numbers with a fraction do not survive every client: use resource.Quantity or a string", base)
	case "interface{}", "any":
		return fmt.Errorf("the type %q has no schema; use runtime.RawExtension for an object of any form", base)
	}
	if knownTypes()[base] != nil {
		return fmt.Errorf("the type %q is a kind of its own, whose objects are not part of others; refer to one by its name, or use a type that is in it, such as corev1.PodSpec", base)
	}
	names := slices.Collect(maps.Keys(builtin))
	for name, k := range knownTypes() {
		if k.family != kind {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if near := text.DidYouMean(base, names); near != "" {
		return fmt.Errorf("the type %q is not known; did you mean %s?", base, near)
	}
	if strings.HasPrefix(base, "corev1.") {
		return fmt.Errorf("the type %q is not in k8s.io/api/core/v1; use one that is there, for example corev1.PodTemplateSpec", base)
	}
	return fmt.Errorf("the type %q is not one of %s, %s or corev1.TYPE, with * or [] or map[string] before it or not; use one of these", base, basics, strings.Join(slices.Sorted(maps.Keys(own)), ", "))
}
