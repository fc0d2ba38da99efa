// SPDX-License-Identifier: Apache-2.0

package document

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/crd"
	"github.com/crdctl/crdctl/internal/text"
)

// maxSchemaDepth is how deep a schema may be. Those of whole pod templates have 20 levels.
const maxSchemaDepth = 100

// check refuses what the API server would, in its own words.
func check(definition *apiextensionsv1.CustomResourceDefinition) error {
	for _, v := range definition.Spec.Versions {
		if v.Schema != nil && deeper(v.Schema.OpenAPIV3Schema, maxSchemaDepth) {
			return fmt.Errorf("version %s: its schema is more than %d levels deep; make it flatter", v.Name, maxSchemaDepth)
		}
	}
	if said := crd.Refusals(definition); len(said) > 0 {
		// Where all versions have the same schema, it is checked once, and at a place that v1 has not.
		return fmt.Errorf("the API server would refuse it; fix that first: %s", strings.ReplaceAll(Few(said), "spec.validation.", "spec.versions[0].schema."))
	}
	return nil
}

// Few joins the problems of one object, the first ten of them.
func Few(said []string) string {
	return text.FirstSaid(said, 10)
}

func deeper(s *apiextensionsv1.JSONSchemaProps, than int) bool {
	if s == nil {
		return false
	}
	if than == 0 {
		return true
	}
	for _, p := range s.Properties {
		if deeper(&p, than-1) {
			return true
		}
	}
	for _, list := range [][]apiextensionsv1.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			if deeper(&list[i], than-1) {
				return true
			}
		}
	}
	return deeper(s.Not, than-1) || s.Items != nil && deeper(s.Items.Schema, than-1) ||
		s.AdditionalProperties != nil && deeper(s.AdditionalProperties.Schema, than-1)
}
