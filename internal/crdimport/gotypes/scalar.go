// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// text is the shape of a string.
func (b *builder) text(s *schema, at place) shape {
	markers := ofText(s)
	switch {
	case s.Format == "byte":
		return shape{expr: "[]byte", markers: markers, absent: byNil}
	case s.Format == "date-time" && len(markers) == 0 && len(s.Enum) == 0 && s.Default == nil:
		return shape{expr: "metav1.Time", absent: byPointer, fixed: true}
	case s.Format != "":
		markers = append([]marker{rule("Format=" + quote(s.Format))}, markers...)
	}
	values := texts(s)
	if len(values) == 0 {
		return shape{expr: "string", markers: markers}
	}
	return shape{expr: b.enumeration(s, values, markers, at), own: true}
}

// ofText are the markers of what holds for strings.
func ofText(s *schema) (all []marker) {
	if s.Pattern != "" {
		all = append(all, rule("Pattern="+quote(s.Pattern)))
	}
	return append(all, bounds("Length", s.MinLength, s.MaxLength)...)
}

// texts are the values of an enum that has nothing but strings.
func texts(s *schema) (all []string) {
	for _, v := range s.Enum {
		var text *string
		if json.Unmarshal(v.Raw, &text) != nil || text == nil {
			return nil
		}
		all = append(all, *text)
	}
	return all
}

// enumeration is a type for strings that are one of a few, with a constant for each.
func (b *builder) enumeration(s *schema, values []string, markers []marker, at place) string {
	return b.declare(at, func(t *typ) string {
		consts := ""
		given := fieldNames{}
		for _, value := range values {
			name := "Empty"
			if len(goname.Words(value)) > 0 {
				name = goname.Of(value)
			} else if value != "" {
				name = "X"
			}
			name = given.unique(name)
			t.suffixes = append(t.suffixes, name)
			consts += "\t" + self + name + " " + self + " = " + strconv.Quote(value) + "\n"
		}
		enum, _ := enumRule(s.Enum) // strings have one
		return comment(fmt.Sprintf("%s is one of the values of %s.", self, at.Path)) + lines(append([]marker{enum}, markers...)) +
			"type " + self + " string\n" + comment("The values of "+self+".") + "const (\n" + consts + ")\n"
	})
}

// numeric is the shape of a number. controller-tools refuses float64 unless it is told to look away, and crdctl does not
// tell it to: at a field it does, where there is none a type with a method of its own does.
func (b *builder) numeric(s *schema, at place) shape {
	made := shape{expr: "int64"}
	switch {
	case s.Type == "number":
		made.expr = b.float(at)
		if s.Format != "" {
			made.markers = append(made.markers, rule("Format="+quote(s.Format)))
		}
	case s.Format == "int32":
		made.expr = "int32"
	case s.Format != "int64":
		made.markers = append(made.markers, rule("Format="+quote(s.Format)))
	}
	bound := func(keyword, name string, value *float64) {
		switch {
		case value == nil:
		case s.Type == "integer" && *value != float64(int64(*value)) && *value < 1<<62 && *value > -1<<62:
			b.lose(at, keyword+":", "a marker cannot express a fraction for an integer: numbers are not checked for it")
		default:
			made.markers = append(made.markers, rule(name+"="+number(*value)))
		}
	}
	bound("minimum", "Minimum", s.Minimum)
	bound("maximum", "Maximum", s.Maximum)
	bound("multipleOf", "MultipleOf", s.MultipleOf)
	if s.ExclusiveMinimum {
		made.markers = append(made.markers, rule("ExclusiveMinimum=true"))
	}
	if s.ExclusiveMaximum {
		made.markers = append(made.markers, rule("ExclusiveMaximum=true"))
	}
	return made
}

// float is the type of numbers that are not whole. A type that marshals itself is what its markers say, for
// controller-tools; a bare float64 is an error.
func (b *builder) float(at place) string {
	b.imports["json"] = "encoding/json"
	return b.declare(place{Path: at.Path, words: []string{"Number"}}, func(*typ) string {
		return comment(self+" is a number that can have a fraction.") + rule("Type=number").String() + "type " + self + " float64\n" +
			comment("MarshalJSON encodes the number. It exists for the CRD: controller-tools accepts a floating point type only if it is a Marshaler.") +
			"func (n " + self + ") MarshalJSON() ([]byte, error) { return json.Marshal(float64(n)) }\n"
	})
}
