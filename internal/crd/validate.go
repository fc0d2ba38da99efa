// SPDX-License-Identifier: Apache-2.0

// Package crd judges CustomResourceDefinitions as the API server does, without a server.
//
// It does not read files and does not compare revisions.
package crd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns the errors for which the API server refuses to create the CRD, less those of its status. Where all
// versions have the same schema, it is validated once, at spec.validation.
func Validate(crd *apiextv1.CustomResourceDefinition) field.ErrorList {
	internal, err := Internal(crd)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	errs, panicked := validate(internal)
	if panicked != nil {
		// The validation looks up selectable fields in a schema that it could not make structural. The errors of the
		// schema are the cause.
		for i := range internal.Spec.Versions {
			internal.Spec.Versions[i].SelectableFields = nil
		}
		internal.Spec.SelectableFields = nil
		errs, panicked = validate(internal)
	}
	if panicked != nil {
		errs = append(errs, field.InternalError(field.NewPath("spec"), fmt.Errorf("the validation panicked: %v", panicked)))
	}
	// It walks the properties of a schema in the random order of a map.
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Field, b.Field) })
	return errs
}

// Internal is a CRD as the API server's validation wants it: with its defaults, of which one is that objects are stored in the storage
// version alone.
func Internal(crd *apiextv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	crd = crd.DeepCopy()
	crd.Status.StoredVersions = nil
	apiextv1.SetObjectDefaults_CustomResourceDefinition(crd)
	out := &apiextensions.CustomResourceDefinition{}
	return out, apiextv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, out, nil)
}

// validate runs the API server's validation and recovers from its panics.
func validate(crd *apiextensions.CustomResourceDefinition) (errs field.ErrorList, panicked any) {
	defer func() { panicked = recover() }()
	for _, err := range validation.ValidateCustomResourceDefinition(context.Background(), crd) {
		if !strings.HasPrefix(err.Field, "status.") {
			errs = append(errs, err)
		}
	}
	return errs, nil
}

// Refusals are the errors of Validate as lines, each beginning with its path.
func Refusals(definition *apiextv1.CustomResourceDefinition) []string {
	var said []string
	for _, err := range Validate(definition) {
		said = append(said, strings.ReplaceAll(err.Error(), "\n", " "))
	}
	return said
}
