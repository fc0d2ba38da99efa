// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	"fmt"
	"slices"
)

// shape is what a schema is where it is used: a Go type, and markers for what the type does not say.
type shape struct {
	expr    string
	markers []marker
	absent  absence
	// own tells that the type is made for this schema, and bears all of its markers.
	own bool
	// fixed tells that no type can be made of this one: it has methods.
	fixed bool
}

// absence is how a value of a Go type is left out of JSON.
type absence int

const (
	byZero    absence = iota // omitempty does, if zero says no more than absence
	byPointer                // omitempty does not see that it is empty
	byNil                    // lists and maps: omitempty leaves empty ones out as well, omitzero does not
)

const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// shape decides on the Go type of a schema. What it does not put into the type or its markers it lists as lost.
func (b *builder) shape(s *schema, at place) shape {
	s = relevant(s)
	b.combinators(s, at)
	var made shape
	switch {
	case s.XIntOrString:
		made = b.intOrString(s, at)
	case s.Type == "string":
		made = b.text(s, at)
	case s.Type == "integer" || s.Type == "number":
		made = b.numeric(s, at)
	case s.Type == "boolean":
		made = shape{expr: "bool"}
	case s.Type == "array":
		return b.list(s, at)
	case s.Type == "object":
		return b.object(s, at)
	default:
		made = b.anything(at)
	}
	b.enum(s, at, &made)
	rules := celRules(s)
	if keeps(s) && s.Type != "" {
		made.markers = append(made.markers, keepFields)
	}
	if made.own && len(rules) > 0 { // an enum's type is finished already; the rest stands at its use
		made.own = false
	}
	made.markers = append(made.markers, rules...)
	return made
}

// nested is a shape for where no marker can stand: markers go to a type of its own. One of a type that has methods embeds
// it, and says again what controller-tools knows of that type: what marshals itself is what its markers say.
func (b *builder) nested(made shape, at place) string {
	if len(made.markers) == 0 {
		return made.expr
	}
	return b.declare(at, func(*typ) string {
		text := comment(fmt.Sprintf("%s is the type of %s.", self, at.Path))
		if !made.fixed {
			return text + lines(made.markers) + "type " + self + " " + made.expr + "\n"
		}
		said := ofKnown[made.expr]
		for _, m := range made.markers {
			if m == embedded {
				m = embeddedType
			}
			if !slices.Contains(said, m) {
				said = append(said[:len(said):len(said)], m)
			}
		}
		return text + lines(said) + "type " + self + " struct {\n\t" + made.expr + " `json:\"-\"`\n}\n"
	})
}

// ofKnown is what controller-tools says of types that are not local.
var ofKnown = map[string][]marker{
	"intstr.IntOrString":   {rule(`Type=""`), rule("XIntOrString")},
	"metav1.Time":          {rule("Type=string"), rule(`Format="date-time"`)},
	"resource.Quantity":    {rule("XIntOrString"), rule("Pattern=" + quote(quantityPattern))},
	"runtime.RawExtension": {rule("Type=object"), keepFields},
}

// item is a shape for the items of a list: the list's own place can say of them what validation there is.
func (b *builder) item(made shape, at place) (expr string, markers []marker) {
	for _, m := range made.markers {
		of, ok := m.ofItems()
		if !ok {
			return b.nested(made, at), nil
		}
		markers = append(markers, of)
	}
	return made.expr, markers
}

// unsayable lists what a schema says that only a field's marker can say, and there is no field.
func (b *builder) unsayable(s *schema, at place) {
	if s.Nullable {
		b.lose(at, "nullable:", "markers can allow null for fields only: null is refused here")
	}
	if s.Default != nil {
		b.lose(at, "default:", "markers can set defaults for fields only: no default is set here")
	}
}

// anything is a value that nothing is known of.
func (b *builder) anything(at place) shape {
	b.imports["runtime"] = "k8s.io/apimachinery/pkg/runtime"
	expr := b.declare(place{Path: at.Path, words: []string{"JSON"}}, func(*typ) string {
		return comment(self+" is any JSON value. Unmarshal its Raw to read it.") +
			lines([]marker{rule(`Type=""`), keepFields}) +
			"type " + self + " struct {\n\truntime.RawExtension `json:\"-\"`\n}\n"
	})
	return shape{expr: expr, absent: byPointer, fixed: true}
}

func (b *builder) intOrString(s *schema, at place) shape {
	var typed []marker
	if s.Type != "" { // which takes one of the two back
		typed = []marker{rule("Type=" + s.Type)}
	}
	if s.Pattern == quantityPattern && s.MinLength == nil && s.MaxLength == nil && len(s.Enum) == 0 {
		b.imports["resource"] = "k8s.io/apimachinery/pkg/api/resource"
		return shape{expr: "resource.Quantity", markers: typed, absent: byPointer, fixed: true}
	}
	b.imports["intstr"] = "k8s.io/apimachinery/pkg/util/intstr"
	made := shape{expr: "intstr.IntOrString", markers: typed, absent: byPointer, fixed: true}
	if s.Pattern != "" || s.MinLength != nil || s.MaxLength != nil {
		made.markers = append(append(made.markers, rule("XIntOrString")), ofText(s)...)
	}
	for keyword, there := range map[string]bool{"minimum": s.Minimum != nil, "maximum": s.Maximum != nil, "multipleOf": s.MultipleOf != nil} {
		if there {
			b.lose(at, keyword+":", "a marker cannot express it for a value that may be a string: numbers are not checked for it")
		}
	}
	if s.Format != "" {
		made.markers = append(made.markers, rule("Format="+quote(s.Format)))
	}
	return made
}

// enum puts the values of an enum at the place of use; those of strings got a type.
func (b *builder) enum(s *schema, at place, made *shape) {
	if len(s.Enum) == 0 || made.own {
		return
	}
	values := s.Enum[:0:0]
	for _, v := range s.Enum {
		if len(v.Raw) == 0 || string(v.Raw) == "null" { // which is how the API's type has null
			b.lose(at, "enum:", "markers cannot express null: it is refused here")
			continue
		}
		values = append(values, v)
	}
	if m, ok := enumRule(values); ok && len(values) > 0 {
		made.markers = append(made.markers, m)
	} else {
		b.lose(at, "enum:", "markers cannot express such values: every value of the type is accepted")
	}
}

// combinators lists what is left of allOf, anyOf, oneOf and not.
func (b *builder) combinators(s *schema, at place) {
	for keyword, there := range map[string]bool{"allOf:": len(s.AllOf) > 0, "anyOf:": len(s.AnyOf) > 0, "oneOf:": len(s.OneOf) > 0, "not:": s.Not != nil} {
		if there {
			b.lose(at, keyword, "cannot be expressed as a marker or as a CEL rule that API servers accept; the generated CRD accepts values that the original rejects")
		}
	}
	s.AllOf, s.AnyOf, s.OneOf, s.Not = nil, nil, nil, nil
}
