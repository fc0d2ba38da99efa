// SPDX-License-Identifier: Apache-2.0

package document

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"

	"github.com/crdctl/crdctl/internal/crd"
)

// fromBeta converts a CRD of the form that API servers have not taken since 1.22, by the API server's own conversion,
// and notes what that means.
func (d *Definition) fromBeta(doc Document) (*apiextensionsv1.CustomResourceDefinition, error) {
	beta := &apiextensionsv1beta1.CustomResourceDefinition{}
	if err := d.decode(doc, beta); err != nil {
		return nil, err
	}
	scope := apiextensionsv1.ResourceScope(beta.Spec.Scope)
	d.note(doc, repairScope(&scope))
	beta.Spec.Scope = apiextensionsv1beta1.ResourceScope(scope)
	keeps := beta.Spec.PreserveUnknownFields == nil || *beta.Spec.PreserveUnknownFields
	apiextensionsv1beta1.SetDefaults_CustomResourceDefinition(beta)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1beta1.Convert_v1beta1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(beta, internal, nil); err != nil {
		return nil, fmt.Errorf("convert it to v1: %w", err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_apiextensions_CustomResourceDefinition_To_v1_CustomResourceDefinition(internal, crd, nil); err != nil {
		return nil, fmt.Errorf("convert it to v1: %w", err)
	}
	crd.Spec.PreserveUnknownFields = false // v1 takes nothing else
	note := apiextensionsv1beta1.SchemeGroupVersion.String() + " was converted to v1"
	schemaless, typed := false, 0
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			schemaless = true
			keep := true
			v.Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &keep}}
			continue
		}
		typed += addTypes(v.Schema.OpenAPIV3Schema, true)
	}
	switch {
	case schemaless:
		note += ": a version without a schema accepts everything; it got the schema that v1 requires, which does the same"
	case keeps:
		note += ": v1beta1 kept fields that are not in the schema, but v1 drops them"
	}
	d.note(doc, note)
	if typed > 0 {
		d.note(doc, fmt.Sprintf("v1 requires a type for every field: %d fields with properties or items got theirs", typed))
	}
	return crd, nil
}

// addTypes gives the types object and array to what has properties or items and no type, and returns how many those
// were. What else has no type is for the API server's own check to name.
func addTypes(s *apiextensionsv1.JSONSchemaProps, root bool) (added int) {
	if s.Type == "" && !s.XIntOrString {
		switch {
		case len(s.Properties) > 0 || s.AdditionalProperties != nil || root:
			s.Type = "object"
			added++
		case s.Items != nil:
			s.Type = "array"
			added++
		}
	}
	crd.EachBelow(s, func(below *apiextensionsv1.JSONSchemaProps) { added += addTypes(below, false) })
	return added
}
