package crdimport

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// metadata turns what a schema says of metadata.name into rules of the root: the field is metav1.ObjectMeta's, where no
// marker can stand. A schema can restrict nothing but name and generateName.
func (b *builder) metadata(s *schema, at place) {
	for i, v := range s.XValidations {
		if strings.HasPrefix(v.FieldPath, ".metadata") {
			s.XValidations[i].FieldPath = ""
			b.lose(at, "x-kubernetes-validations:", "the fieldPath "+v.FieldPath+" names what no type describes: the error is of the whole object")
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
			s.XValidations = append(s.XValidations, nameRules(rest)...)
		}
		rest.Type, rest.Format = "", ""
		if !equal(rest, &schema{}) {
			b.lose(of, "metadata:", "no marker says more of it: other names are taken")
		}
	}
	if m.Default != nil {
		b.lose(here, "default:", "no marker can stand there: nothing is filled in")
	}
	if len(m.AllOf)+len(m.AnyOf)+len(m.OneOf) > 0 || m.Not != nil || len(m.Required) > 0 {
		b.lose(here, "metadata:", "no marker can stand there: other metadata is taken")
	}
}

// nameRules takes out of a schema what it says of the length and form of a name, as CEL.
func nameRules(s *schema) (all []apiextensionsv1.ValidationRule) {
	add := func(rule, message string) {
		all = append(all, apiextensionsv1.ValidationRule{Rule: rule, Message: message})
	}
	if s.MinLength != nil {
		add(fmt.Sprintf("self.metadata.name.size() >= %d", *s.MinLength), fmt.Sprintf("must have %d characters or more", *s.MinLength))
	}
	if s.MaxLength != nil {
		add(fmt.Sprintf("self.metadata.name.size() <= %d", *s.MaxLength), fmt.Sprintf("must have %d characters or fewer", *s.MaxLength))
	}
	if s.Pattern != "" {
		add("self.metadata.name.matches("+celString(s.Pattern)+")", "must match the pattern of names")
	}
	s.MinLength, s.MaxLength, s.Pattern = nil, nil, ""
	return all
}
