// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/crdimport/normalize"
)

// metadata turns what a schema says of metadata.name into rules of the root: the field is metav1.ObjectMeta's, where no
// marker can stand. A schema can restrict nothing but name and generateName.
func (b *builder) metadata(s *schema, at place) {
	for i, v := range s.XValidations {
		if strings.HasPrefix(v.FieldPath, ".metadata") {
			s.XValidations[i].FieldPath = ""
			b.lose(at, "x-kubernetes-validations:", "the fieldPath "+v.FieldPath+" is not described by a type: the error is reported for the whole object")
		}
	}
	m, ok := s.Properties["metadata"]
	if !ok {
		return
	}
	here := at.field("metadata")
	for _, property := range slices.Sorted(maps.Keys(m.Properties)) {
		p := m.Properties[property]
		of := here.field(property)
		rest := withoutDocs(relevant(&p))
		if property == "name" {
			s.XValidations = append(s.XValidations, normalize.NameRules(rest)...)
		}
		rest.Type, rest.Format = "", ""
		if !Equal(rest, &schema{}) {
			b.lose(of, "metadata:", "a marker cannot restrict it: other names are accepted")
		}
	}
	if m.Default != nil {
		b.lose(here, "default:", "a marker cannot be set there: no default is set")
	}
	if len(m.AllOf)+len(m.AnyOf)+len(m.OneOf) > 0 || m.Not != nil || len(m.Required) > 0 {
		b.lose(here, "metadata:", "a marker cannot be set there: other metadata is accepted")
	}
}
