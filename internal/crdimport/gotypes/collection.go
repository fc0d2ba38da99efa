// SPDX-License-Identifier: Apache-2.0

package gotypes

import "fmt"

// list is the shape of an array.
func (b *builder) list(s *schema, at place) shape {
	made := shape{absent: byNil}
	items := s.Items.Schema
	if Equal(items, ConditionSchema()) {
		made.expr = "[]metav1.Condition"
	} else {
		expr, markers := b.item(b.shape(items, at.items()), at.items())
		b.unsayable(items, at.items())
		made.expr, made.markers = "[]"+expr, markers
	}
	add := func(m marker) { made.markers = append(made.markers, m) }
	made.markers = append(made.markers, bounds("Items", s.MinItems, s.MaxItems)...)
	if s.XListType != nil {
		add(plain("listType=" + *s.XListType))
	}
	for _, key := range s.XListMapKeys {
		add(plain("listMapKey=" + key))
	}
	b.enum(s, at, &made)
	made.markers = append(made.markers, celRules(s)...)
	if keeps(s) {
		add(keepFields)
	}
	return made
}

// mapping is the shape of an object whose keys are not known.
func (b *builder) mapping(s *schema, at place) shape {
	made := shape{absent: byNil}
	if values := s.AdditionalProperties.Schema; values != nil {
		made.expr = "map[string]" + b.nested(b.shape(values, at.values()), at.values())
		b.unsayable(values, at.values())
	} else {
		made.expr = "map[string]" + b.anything(at).expr
		b.lose(at, "additionalProperties:", "true has no Go type: fields in objects and lists below it are kept here, but would be dropped by the CRD")
	}
	made.markers = append(ofObject(s, "mapType"), celRules(s)...)
	b.enum(s, at, &made)
	if keeps(s) {
		made.markers = append(made.markers, keepFields)
	}
	return made
}

// ofObject are the markers of what holds for objects and stands at maps as well as at types.
func ofObject(s *schema, mapType string) (all []marker) {
	all = bounds("Properties", s.MinProperties, s.MaxProperties)
	if s.XMapType != nil {
		all = append(all, plain(mapType+"="+*s.XMapType))
	}
	return all
}

// bounds are the markers of a least and a largest number.
func bounds(of string, least, most *int64) (all []marker) {
	if least != nil {
		all = append(all, rule(fmt.Sprintf("Min%s=%d", of, *least)))
	}
	if most != nil {
		all = append(all, rule(fmt.Sprintf("Max%s=%d", of, *most)))
	}
	return all
}

func celRules(s *schema) (all []marker) {
	for _, v := range s.XValidations {
		all = append(all, celRule(v))
	}
	return all
}

func keeps(s *schema) bool { return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields }
