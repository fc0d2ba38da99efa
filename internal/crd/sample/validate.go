// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns what the API server's validation of objects has against a value, at a path in the errors. The schema's rules of CEL are not run.
func Validate(s *apiextv1.JSONSchemaProps, path *field.Path, value any) error {
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(s.DeepCopy(), internal, nil); err != nil {
		return err
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return err
	}
	// The validation knows values as they come out of JSON.
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var read any
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	return validation.ValidateCustomResource(path, read, validator).ToAggregate()
}
