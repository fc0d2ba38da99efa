// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/crd/sample"
)

// readDefault reads the default and holds it against the schema, when all fields are known: that of an object depends on its fields.
func (f *Field) readDefault() error {
	if f.defaultText == nil {
		return nil
	}
	v, err := f.value(*f.defaultText)
	if err != nil {
		return fmt.Errorf("default: %w", err)
	}
	schema := f.schema()
	if err := sample.Validate(&schema, field.NewPath("default"), v); err != nil {
		return fmt.Errorf("%w; correct the default", err)
	}
	f.defaults = v
	return nil
}

// value makes a value of the field's type: lists, maps and objects are in YAML, all else without quotes. The type in Go has the last word.
func (f *Field) value(text string) (v any, err error) {
	into, raw := f.typ.goType, []byte(text)
	like := fmt.Sprintf("such as %v", usual[f.typ.family])
	_, notWhole := strconv.ParseInt(text, 10, 32)
	composite := !f.typ.single() || slices.Contains([]family{structure, foreign, anything}, f.typ.family)
	switch {
	case composite:
		like = "in YAML on one line such as [a, b] or {a: b}"
		raw, err = yaml.YAMLToJSONStrict(raw)
	case f.typ.family == boolean:
		like = "which is true or false"
		_, err = strconv.ParseBool(text)
	case f.typ.family == number:
		like = "without quotes or a fraction"
		// As Go reads numbers: those of recorded projects may begin with + or 0, as in JSON none does.
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		raw = strconv.AppendInt(nil, n, 10)
	case f.typ.family != intOrString || notWhole != nil:
		raw = []byte(asJSON(text))
	}
	switch {
	case f.typ.list():
		into = reflect.SliceOf(into)
	case f.typ.dict():
		into = reflect.MapOf(reflect.TypeFor[string](), into)
	}
	var strict []error
	if err == nil {
		strict, err = kjson.UnmarshalStrict(raw, reflect.New(into).Interface())
	}
	if err = errors.Join(append(strict, err)...); err == nil {
		err = kjson.UnmarshalCaseSensitivePreserveInts(raw, &v)
	}
	if err != nil && composite {
		like += fmt.Sprintf(" (%v)", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%q is not a value of %s, %s; correct it", text, f.typ, like)
	}
	return v, nil
}

// asJSON is a value in JSON, on one line.
func asJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // it is for eyes, in a comment
	if err := enc.Encode(v); err != nil {
		return "null" // there are no values that cannot be encoded
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
