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
			s.XValidations = append(s.XValidations, normalize.NameRules(rest)...)
		}
		rest.Type, rest.Format = "", ""
		if !Equal(rest, &schema{}) {
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
