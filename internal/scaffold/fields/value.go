package fields

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
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

// value makes a value of the field's type: lists, maps and objects are in YAML.
func (f *Field) value(text string) (any, error) {
	if f.typ.single() && !slices.Contains([]family{structure, foreign, anything}, f.typ.family) {
		return f.scalar(text)
	}
	var v any
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		return nil, fmt.Errorf("%q is not YAML on one line, such as [a, b] or {a: b}; correct it", text)
	}
	if f.typ.family != foreign {
		return v, nil
	}
	// The schema of a type of Kubernetes is not known here, but the type itself is.
	t := f.typ.known.goType
	switch {
	case f.typ.list():
		t = reflect.SliceOf(t)
	case f.typ.dict():
		t = reflect.MapOf(reflect.TypeFor[string](), t)
	}
	if err := yaml.UnmarshalStrict([]byte(text), reflect.New(t).Interface()); err != nil {
		return nil, fmt.Errorf("%s is not a value of %s%s; correct it: %w", text, f.typ.prefix, f.typ.base, err)
	}
	return v, nil
}

// scalar makes a value of one that is written without quotes.
func (f *Field) scalar(text string) (v any, err error) {
	wrong, v := "", text
	switch f.typ.family {
	case boolean:
		wrong = "true or false"
		if v = text == "true"; text != strconv.FormatBool(text == "true") {
			err = strconv.ErrSyntax
		}
	case number:
		bits := 64
		if f.typ.base == "int32" {
			bits = 32
		}
		wrong = "an " + f.typ.base + ", without quotes or a fraction"
		v, err = strconv.ParseInt(text, 10, bits)
	case intOrString:
		if n, err := strconv.ParseInt(text, 10, 32); err == nil {
			v = n
		}
	case duration:
		wrong = "a duration such as 1h30m"
		_, err = time.ParseDuration(text)
	case instant:
		wrong = "a time such as 2026-01-31T12:00:00Z"
		_, err = time.Parse(time.RFC3339Nano, text)
	case quantity:
		wrong = "a quantity such as 500m or 1Gi"
		_, err = resource.ParseQuantity(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%q is not %s; correct it", text, wrong)
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
