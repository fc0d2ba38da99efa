package fields

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"sigs.k8s.io/yaml"
)

// read makes a value of the field's type of what is said for default or example, and checks it against the rules.
func (f *Field) read(said string) (any, error) {
	if f.typ.single() && !slices.Contains([]family{structure, foreign, anything}, f.typ.family) {
		v, err := scalarOf(f, said)
		if err != nil {
			return nil, err
		}
		return f.check(v)
	}
	data, err := yaml.YAMLToJSONStrict([]byte(said))
	if err != nil {
		return nil, fmt.Errorf("%q is not YAML on one line, such as [a, b] or {a: b}; correct it", said)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("%q is not YAML on one line, such as [a, b] or {a: b}; correct it", said)
	}
	return f.check(v)
}

// scalarOf makes a value of one that is written without quotes.
func scalarOf(f *Field, said string) (any, error) {
	switch f.typ.family {
	case boolean:
		if said != "true" && said != "false" {
			return nil, fmt.Errorf("%q is not true or false; write one of them", said)
		}
		return said == "true", nil
	case number:
		return integer(f.typ, said)
	case intOrString:
		if n, err := strconv.ParseInt(said, 10, 32); err == nil {
			return n, nil
		}
	}
	return said, nil
}

func integer(t typ, said string) (int64, error) {
	bits := 64
	if t.base == "int32" {
		bits = 32
	}
	n, err := strconv.ParseInt(said, 10, bits)
	if err != nil {
		return 0, fmt.Errorf("%q is not an %s; write one, without quotes or a fraction", said, t.base)
	}
	return n, nil
}
