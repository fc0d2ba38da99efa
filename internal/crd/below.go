// SPDX-License-Identifier: Apache-2.0

package crd

import apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// EachBelow calls do with the schemas of a schema's properties, items and values, which it may change.
// Each property is written back, so what other goroutines read must be copied first.
func EachBelow(s *apiextv1.JSONSchemaProps, do func(*apiextv1.JSONSchemaProps)) {
	for name, property := range s.Properties {
		do(&property)
		s.Properties[name] = property
	}
	if s.Items != nil && s.Items.Schema != nil {
		do(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		do(s.AdditionalProperties.Schema)
	}
}
