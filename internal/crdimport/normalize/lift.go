// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"reflect"
	"slices"
)

// lift moves what allOf says into the schema itself, keyword by keyword, where the schema says nothing of it yet or the
// stricter of the two says both. What it can move no further is left in allOf.
func lift(s *schema) {
	var left []schema
	for i := range s.AllOf {
		branch := s.AllOf[i].DeepCopy()
		lift(branch)
		if s.XIntOrString && isIntOrString(branch.AnyOf) {
			branch.AnyOf = nil // which is what int-or-string means
		}
		liftFrom(s, branch)
		if !reflect.DeepEqual(*branch, schema{}) {
			left = append(left, *branch)
		}
	}
	s.AllOf = left
	if s.XIntOrString && isIntOrString(s.AnyOf) {
		s.AnyOf = nil
	}
}

func liftFrom(s, branch *schema) {
	least, most := func(a, b int64) bool { return a > b }, func(a, b int64) bool { return a < b }
	tighter(&s.MinLength, &branch.MinLength, least)
	tighter(&s.MaxLength, &branch.MaxLength, most)
	tighter(&s.MinItems, &branch.MinItems, least)
	tighter(&s.MaxItems, &branch.MaxItems, most)
	tighter(&s.MinProperties, &branch.MinProperties, least)
	tighter(&s.MaxProperties, &branch.MaxProperties, most)
	if s.Minimum == nil && branch.Minimum != nil {
		s.Minimum, s.ExclusiveMinimum, branch.Minimum, branch.ExclusiveMinimum = branch.Minimum, branch.ExclusiveMinimum, nil, false
	}
	if s.Maximum == nil && branch.Maximum != nil {
		s.Maximum, s.ExclusiveMaximum, branch.Maximum, branch.ExclusiveMaximum = branch.Maximum, branch.ExclusiveMaximum, nil, false
	}
	move(&s.MultipleOf, &branch.MultipleOf)
	move(&s.Pattern, &branch.Pattern)
	move(&s.Format, &branch.Format)
	move(&s.Enum, &branch.Enum)
	move(&s.Not, &branch.Not)
	move(&s.OneOf, &branch.OneOf)
	if !s.XIntOrString {
		move(&s.AnyOf, &branch.AnyOf)
	}
	for _, r := range branch.Required {
		if !slices.Contains(s.Required, r) {
			s.Required = append(s.Required, r)
		}
	}
	branch.Required = nil
	for name, below := range branch.Properties {
		if own, ok := s.Properties[name]; ok {
			own.AllOf = append(own.AllOf, below)
			lift(&own)
			s.Properties[name] = own
			delete(branch.Properties, name)
		}
	}
	if len(branch.Properties) == 0 {
		branch.Properties = nil
	}
}

// move moves a keyword that is missing there, or has the same value.
func move[T any](to, from *T) {
	var none T
	if reflect.DeepEqual(*to, none) {
		*to = *from
	}
	if reflect.DeepEqual(*to, *from) {
		*from = none
	}
}

// tighter moves a bound that is missing there, or is looser than the one that moves.
func tighter(to, from **int64, stricter func(a, b int64) bool) {
	if *from == nil {
		return
	}
	if *to == nil || stricter(**from, **to) {
		*to = *from
	}
	*from = nil
}

func isIntOrString(anyOf []schema) bool {
	return len(anyOf) == 2 && anyOf[0].Type == "integer" && anyOf[1].Type == "string"
}
