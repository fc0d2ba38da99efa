// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/crdimport/normalize"
)

// object is the shape of an object: a struct, a map, or whatever it may be.
func (b *builder) object(s *schema, at place) shape {
	made := shape{absent: byPointer, own: true}
	switch {
	case Equal(s, LabelSelectorSchema()):
		return shape{expr: "metav1.LabelSelector", absent: byPointer, fixed: true}
	case s.AdditionalProperties != nil:
		return b.mapping(s, at)
	case len(s.Properties) == 0 && keeps(s):
		made = b.raw(s, at)
	default:
		made.expr = b.declare(at, func(*typ) string { return b.structure(s, at) })
	}
	if len(s.Enum) > 0 {
		b.lose(at, "enum:", "markers cannot express objects: every value of the type is accepted")
	}
	return made
}

// raw is the shape of an object of which the schema only says that it is kept.
func (b *builder) raw(s *schema, at place) shape {
	b.imports["runtime"] = "k8s.io/apimachinery/pkg/runtime"
	made := shape{expr: "runtime.RawExtension", absent: byPointer, fixed: true}
	said := ofObject(s, "structType")
	if s.XEmbeddedResource {
		made.markers = append(made.markers, embedded, keepFields)
	}
	if len(said) == 0 {
		made.markers = append(made.markers, celRules(s)...)
		return made
	}
	said = append([]marker{rule("Type=object"), keepFields}, said...)
	if s.XEmbeddedResource {
		said = append(said, embeddedType)
	}
	said = append(said, celRules(s)...)
	return shape{absent: byPointer, fixed: true, expr: b.declare(at, func(*typ) string {
		return comment(documentation(s)) + lines(said) + "type " + self + " struct {\n\truntime.RawExtension `json:\"-\"`\n}\n"
	})}
}

// structure is the text of a struct, with all that its schema says but what stands at fields.
func (b *builder) structure(s *schema, at place) string {
	doc := cmp.Or(documentation(s), fmt.Sprintf("%s is the type of %s.", self, at.Path))
	return comment(doc) + lines(b.ofStruct(s, at)) + "type " + self + " struct {\n" + b.fields(s, at, newFieldNames(false)) + "}\n"
}

// ofStruct are the markers of a type that is a struct.
func (b *builder) ofStruct(s *schema, at place) []marker {
	said := ofObject(s, "structType")
	if s.XEmbeddedResource {
		said = append(said, embeddedType)
	}
	if keeps(s) {
		said = append(said, keepFields)
		b.lose(at, inGo, "the API server keeps unknown fields, but a client that reads and writes these types drops them")
	}
	for _, v := range s.XValidations {
		made := celRule(v)
		if text, ok := normalize.FieldsMarker(s, v); ok {
			made = rule(text)
		}
		said = append(said, made)
	}
	return said
}

// inGo begins a loss that the schema has no part in.
const inGo = "in Go:"

// fields are the texts of all fields of a struct, in that of the root with spec first and status last.
func (b *builder) fields(s *schema, at place, taken fieldNames) string {
	var out strings.Builder
	properties := slices.Sorted(maps.Keys(s.Properties))
	if at.Path == "" {
		order := map[string]int{"spec": -1, "status": 1}
		slices.SortStableFunc(properties, func(a, b string) int { return order[a] - order[b] })
	}
	for i, property := range properties {
		if !taggable(property) {
			b.problems = append(b.problems, fmt.Errorf("%s has a property %q, which cannot be the JSON name of a Go field; the CRD needs another name", at.Where(), property))
			continue
		}
		if i > 0 {
			out.WriteString("\n")
		}
		p := s.Properties[property]
		out.WriteString(b.field(&p, at.field(property), property, taken.give(property, b.kind), slices.Contains(s.Required, property)))
	}
	for _, property := range s.Required {
		if _, ok := s.Properties[property]; !ok {
			b.lose(at, "required:", fmt.Sprintf("%q is required but not in properties: objects without it are accepted", property))
		}
	}
	return out.String()
}
