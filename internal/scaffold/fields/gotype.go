package fields

import (
	"reflect"
	"slices"

	"github.com/crdctl/crdctl/internal/crd/sample"
)

// goType is the type of the field in Go.
func (f *Field) goType() string {
	switch {
	case f.typ.list(), f.typ.dict():
		return f.typ.prefix + f.goBase
	case f.pointer():
		return "*" + f.goBase
	}
	return f.goBase
}

// pointer reports whether the field is a pointer: where it was asked for, and where it is optional and only a pointer tells
// what was said from what was not. Numbers and bools mean something when they are zero; structs are never empty to JSON.
func (f *Field) pointer() bool {
	if f.typ.prefix == "*" {
		return true
	}
	if !f.typ.single() || f.required {
		return false
	}
	switch f.typ.family {
	case word:
		// An empty string is taken for one that is not said, unless that would put a default, or no null, in its place.
		return (f.defaults != nil || f.nullable()) && f.emptyAllowed()
	case foreign:
		// As it was written: omitzero leaves out what is zero. A default would not fill a value that is sent as {}.
		return f.foreignStruct() && (f.defaults != nil || f.nullable())
	}
	return true
}

// foreignStruct tells a struct of Kubernetes from a map that has a name there, such as corev1.ResourceList.
func (f *Field) foreignStruct() bool {
	return f.typ.family == foreign && f.typ.known.goType.Kind() == reflect.Struct
}

// emptyAllowed reports whether the empty string is a value of the field.
func (f *Field) emptyAllowed() bool {
	schema := f.schema()
	schema.Nullable = false
	return schema.Format == "" && sample.Validate(&schema, nil, "") == nil
}

func (f *Field) nullable() bool { return slices.Contains(f.markers, "+nullable") }

// tag is the field's JSON tag.
func (f *Field) tag() string {
	switch {
	case f.required:
		return f.name
	case f.typ.single() && f.foreignStruct() && !f.pointer():
		return f.name + ",omitzero" // omitempty does not know when a struct is empty
	}
	return f.name + ",omitempty"
}
