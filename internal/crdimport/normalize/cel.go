// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiserver/pkg/cel"
)

// property is what a rule calls a property of self, with its schema; false where no rule can ask whether it is there with the same
// answer as required has: a null is there for the one and not for the other, and CEL does not know what has no type.
func property(self, name string, of *schema) (string, *schema, bool) {
	p, known := of.Properties[name]
	escaped, fine := cel.Escape(name)
	return self + "." + escaped, &p, known && fine && !p.Nullable && (p.Type != "" || p.XIntOrString)
}

// celOf writes a schema of allOf, anyOf, oneOf or not in CEL. of is what the structural schema has at the same place, which
// defines the types; false if there is something in it that CEL does not see as the schema does.
func celOf(s *schema, self string, of *schema) (string, bool) {
	rest := s.DeepCopy()
	var all []string
	ok := true
	sub := func(s *schema, self string, of *schema) string {
		text, fine := celOf(s, self, of)
		ok = ok && fine
		return text
	}
	for _, name := range s.Required {
		field, _, fine := property(self, name, of)
		ok = ok && fine
		all = append(all, "has("+field+")")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		below := s.Properties[name]
		field, p, fine := property(self, name, of)
		ok = ok && fine
		if text := sub(&below, field, p); text != "true" {
			all = append(all, "(!has("+field+") || "+text+")")
		}
	}
	rest.Required, rest.Properties, rest.Description = nil, nil, ""
	values, fine := celValues(rest, self, of)
	all, ok = append(all, values...), ok && fine
	for i := range s.AllOf {
		all = append(all, sub(&s.AllOf[i], self, of))
	}
	group := func(branches []schema, each func(string) string, between, end string) {
		if len(branches) == 0 {
			return
		}
		var texts []string
		for i := range branches {
			texts = append(texts, each(sub(&branches[i], self, of)))
		}
		all = append(all, "("+strings.Join(texts, between)+end+")")
	}
	group(s.AnyOf, func(t string) string { return t }, " || ", "")
	group(s.OneOf, func(t string) string { return "(" + t + " ? 1 : 0)" }, " + ", " == 1")
	if s.Not != nil {
		all = append(all, "!("+sub(s.Not, self, of)+")")
	}
	rest.AllOf, rest.AnyOf, rest.OneOf, rest.Not = nil, nil, nil, nil
	if !ok || !reflect.DeepEqual(*rest, schema{}) {
		return "", false
	}
	if len(all) == 0 {
		return "true", true
	}
	if len(all) == 1 {
		return all[0], true
	}
	return "(" + strings.Join(all, " && ") + ")", true
}

// celValues writes what a schema requires of a value itself, and takes it out of the schema.
func celValues(s *schema, self string, of *schema) (all []string, ok bool) {
	ok = true
	if of.Type == "string" && of.Format == "" {
		if s.Pattern != "" {
			all = append(all, self+".matches("+strconv.Quote(s.Pattern)+")")
		}
		all = append(all, sizes(self, s.MinLength, s.MaxLength)...)
		s.Pattern, s.MinLength, s.MaxLength = "", nil, nil
	}
	if of.Type == "array" || of.AdditionalProperties != nil {
		all = append(append(all, sizes(self, s.MinItems, s.MaxItems)...), sizes(self, s.MinProperties, s.MaxProperties)...)
		s.MinItems, s.MaxItems, s.MinProperties, s.MaxProperties = nil, nil, nil, nil
	}
	if of.Type == "integer" {
		bound := func(value **float64, exclusive *bool, with string) {
			if *value == nil || **value != float64(int64(**value)) {
				return
			}
			if !*exclusive {
				with += "="
			}
			all = append(all, self+" "+with+" "+strconv.FormatInt(int64(**value), 10))
			*value, *exclusive = nil, false
		}
		bound(&s.Minimum, &s.ExclusiveMinimum, ">")
		bound(&s.Maximum, &s.ExclusiveMaximum, "<")
	}
	if len(s.Enum) > 0 {
		text, fine := celEnum(s.Enum, self, of)
		ok = fine
		all = append(all, text)
		s.Enum = nil
	}
	return all, ok
}

func sizes(self string, least, most *int64) (all []string) {
	if least != nil {
		all = append(all, fmt.Sprintf("%s.size() >= %d", self, *least))
	}
	if most != nil {
		all = append(all, fmt.Sprintf("%s.size() <= %d", self, *most))
	}
	return all
}

func celEnum(values []apiextensionsv1.JSON, self string, of *schema) (string, bool) {
	var all []string
	for _, v := range values {
		var value any
		if json.Unmarshal(v.Raw, &value) != nil {
			return "", false
		}
		switch value := value.(type) {
		case string:
			if of.Type != "string" || of.Format != "" {
				return "", false
			}
			all = append(all, strconv.Quote(value))
		case bool:
			if of.Type != "boolean" {
				return "", false
			}
			all = append(all, strconv.FormatBool(value))
		case float64:
			if of.Type != "integer" || value != float64(int64(value)) {
				return "", false
			}
			all = append(all, strconv.FormatInt(int64(value), 10))
		default:
			return "", false
		}
	}
	return self + " in [" + strings.Join(all, ", ") + "]", true
}
