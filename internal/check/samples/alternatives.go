// SPDX-License-Identifier: Apache-2.0

package samples

import (
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// alternatives makes one error of what the API server says of an object that is none of the alternatives of its schema: it names the fields that one
// alternative lacks as if they were required, and does not say what the others are.
func alternatives(v *apiextv1.CustomResourceDefinitionVersion, all field.ErrorList) field.ErrorList {
	for _, e := range slices.Clone(all) {
		s := at(v, e.Field)
		if s == nil || !strings.HasPrefix(e.Detail, "must validate ") || !strings.HasSuffix(strings.TrimSpace(e.Detail), "Found none valid") {
			continue
		}
		fields := fieldsOf(slices.Concat(s.OneOf, s.AnyOf))
		if fields == nil {
			continue
		}
		e.Detail = "must have " + strings.Join(fields, " or ")
		all = slices.DeleteFunc(all, func(other *field.Error) bool {
			name, below := strings.CutPrefix(other.Field, e.Field+".")
			return below && other.Type == field.ErrorTypeRequired && !strings.Contains(name, ".") && !slices.Contains(s.Required, name)
		})
	}
	return all
}

// fieldsOf are the fields that each alternative requires; nil where one requires none.
func fieldsOf(alternatives []apiextv1.JSONSchemaProps) (all []string) {
	for _, a := range alternatives {
		if len(a.Required) == 0 {
			return nil
		}
		all = append(all, strings.Join(a.Required, " and "))
	}
	return all
}
