// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	"reflect"

	"github.com/crdctl/crdctl/internal/crd"
)

// relevant is a copy of a schema without the keywords that mean nothing for its type.
func relevant(s *schema) *schema {
	s = s.DeepCopy()
	object, list := s.Type == "object" || s.Type == "", s.Type == "array" || s.Type == ""
	text, number := s.Type == "string" || s.Type == "", s.Type == "integer" || s.Type == "number" || s.Type == ""
	if !text {
		s.MinLength, s.MaxLength, s.Pattern = nil, nil, ""
	}
	if !number {
		s.Minimum, s.Maximum, s.MultipleOf, s.ExclusiveMinimum, s.ExclusiveMaximum = nil, nil, nil, false, false
	}
	if !list {
		s.MinItems, s.MaxItems, s.UniqueItems = nil, nil, false
	}
	if !object {
		s.MinProperties, s.MaxProperties, s.Required = nil, nil, nil
	}
	if s.Minimum == nil {
		s.ExclusiveMinimum = false
	}
	if s.Maximum == nil {
		s.ExclusiveMaximum = false
	}
	if s.XPreserveUnknownFields != nil && !*s.XPreserveUnknownFields {
		s.XPreserveUnknownFields = nil
	}
	return s
}

// withoutDocs is a copy of a schema without what only documents.
func withoutDocs(s *schema) *schema {
	s = s.DeepCopy()
	var strip func(s *schema)
	strip = func(s *schema) {
		s.Description, s.Title, s.Example, s.ExternalDocs = "", "", nil, nil
		crd.EachBelow(s, strip)
	}
	strip(s)
	return s
}

// Equal reports whether two schemas say the same, documentation aside.
func Equal(a, b *schema) bool { return reflect.DeepEqual(withoutDocs(a), withoutDocs(b)) }
