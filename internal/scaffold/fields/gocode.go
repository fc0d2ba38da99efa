// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/crd/sample"
	"github.com/crdctl/crdctl/internal/text/goname"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// SpecFields are the fields of the spec's struct, in Go.
func (s *Set) SpecFields() string { return s.spec.goFields(s.comment) }

// StatusFields are the fields of the status' struct, in Go, without those that every status has.
func (s *Set) StatusFields() string { return s.status.goFields(s.comment) }

// Types are the types that the fields need, in Go.
func (s *Set) Types() string { return s.goTypes(s.comment) }

// SpecGo is SpecFields as the templates of revision 1 have it.
func (s *Set) SpecGo() string { return s.spec.goFields(s.formerComment) }

// StatusGo is StatusFields as the templates of revision 1 have it.
func (s *Set) StatusGo() string { return s.status.goFields(s.formerComment) }

// TypesGo is Types as the templates of revision 1 have it.
func (s *Set) TypesGo() string { return s.goTypes(s.formerComment) }

// SpecMarkers are the markers of the spec's struct, without the slashes.
func (s *Set) SpecMarkers() []string { return s.spec.marks }

// StatusMarkers are those of the status' struct.
func (s *Set) StatusMarkers() []string { return s.status.marks }

// goTypes are the types that the fields need, with a comment for each field.
func (s *Set) goTypes(comment func(*Field) string) string {
	var b strings.Builder
	for _, f := range s.types {
		where := f.fullPath()
		if !f.typ.single() {
			where = "what is in " + where
		}
		fmt.Fprintf(&b, "\n// %s is the type of %s.\n", f.goBase, where)
		if f.object != nil {
			fmt.Fprintf(&b, "%stype %s struct {\n%s}\n", comments("", f.object.marks), f.goBase, f.object.goFields(comment))
			continue
		}
		fmt.Fprintf(&b, "// +kubebuilder:validation:Enum=%s\ntype %s string\n\n// The values of %[2]s.\nconst (\n", enumMarker(f.typ.enum), f.goBase)
		for _, v := range f.typ.enum {
			fmt.Fprintf(&b, "\t%s%s %[1]s = %[3]q\n", f.goBase, goname.Camel(v), v)
		}
		b.WriteString(")\n")
	}
	return b.String()
}

// TypeNames are the names of those types.
func (s *Set) TypeNames() (names []string) {
	for _, f := range s.types {
		names = append(names, f.goBase)
	}
	return names
}

func (o *object) goFields(comment func(*Field) string) string {
	var all []string
	for _, f := range o.fields {
		lines := append([]string{comment(f)}, f.allMarkers()...)
		all = append(all, comments("\t", lines)+fmt.Sprintf("\t%s %s `json:%q`\n", goname.Camel(f.name), f.goType(), f.tag()))
	}
	return strings.Join(all, "\n")
}

func comments(indent string, lines []string) (all string) {
	for _, line := range lines {
		all += indent + "// " + line + "\n"
	}
	return all
}

// fullPath is the path from the object of the kind on.
func (f *Field) fullPath() string {
	if f.status {
		return statusPrefix + f.path
	}
	return specPrefix + f.path
}

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
// what was specified from what was not. Numbers and bools mean something when they are zero; structs are never empty to JSON.
func (f *Field) pointer() bool {
	if f.typ.prefix == "*" {
		return true
	}
	if !f.typ.single() || f.required {
		return false
	}
	filled := f.defaults != nil || slices.Contains(f.markers, "+nullable")
	switch f.typ.family {
	case word:
		// An empty string counts as none, unless it is a value and a default, or null, would replace it.
		schema := f.schema()
		schema.Nullable = false
		return filled && schema.Format == "" && sample.Validate(&schema, nil, "") == nil
	case foreign:
		// As it was written: omitzero leaves out what is zero. A default would not fill a value that is sent as {}.
		return filled && f.foreignStruct()
	}
	return true
}

// foreignStruct tells a struct of Kubernetes from a map that has a name there, such as corev1.ResourceList.
func (f *Field) foreignStruct() bool {
	return f.typ.family == foreign && f.typ.goType.Kind() == reflect.Struct
}

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

// allMarkers are the lines between a field's comment and the field.
func (f *Field) allMarkers() []string {
	all := slices.Clone(f.markers)
	// +default, not +kubebuilder:default: the OpenAPI schema of the apply configurations and defaulter-gen read it as well.
	if f.defaults != nil {
		all = append(all, "+default="+asJSON(f.defaults))
	}
	if f.required {
		return append(all, "+required")
	}
	return append(all, "+optional")
}

// listMarkers are those that every list gets, where no marker tells its type.
func listMarkers(t fieldType, markers []string) []string {
	if !t.list() || slices.ContainsFunc(markers, func(m string) bool { return strings.HasPrefix(m, "+listType=") }) {
		return nil
	}
	if t.base == "metav1.Condition" { // as every list of conditions in Kubernetes
		return []string{"+listType=map", "+listMapKey=type"}
	}
	return []string{"+listType=atomic"}
}

// celMarker is the marker of a CEL rule.
func celMarker(rule, message string) string {
	return fmt.Sprintf("+kubebuilder:validation:XValidation:rule=%q,message=%q", rule, message)
}

// bare is a value of an enum that controller-tools reads as a string without quotes.
var bare = lazyregexp.New(`^[A-Za-z][A-Za-z0-9]*$`)

func enumMarker[T any](values []T) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = asJSON(v)
		if s, ok := any(v).(string); ok {
			all[i] = strconv.Quote(s)
			if bare.MatchString(s) && s != "true" && s != "false" {
				all[i] = s
			}
		}
	}
	return strings.Join(all, ";")
}
