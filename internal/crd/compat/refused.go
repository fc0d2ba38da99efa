// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"cmp"
	"context"
	"fmt"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdctl/crdctl/internal/crd"
)

// refused has the API server's own code decide whether it would accept the changed CRD: a schema that is not structural, a
// CEL rule that does not compile, a default that is not valid. Versions that are gone are findings, not errors: their
// objects are what Check is about.
func refused(ctx context.Context, current, changed *apiextv1.CustomResourceDefinition) error {
	if current == nil {
		after, err := crd.Internal(changed)
		if err != nil {
			return fmt.Errorf("the changed CRD %s: %w", changed.Name, err)
		}
		if problems := validation.ValidateCustomResourceDefinition(ctx, after); len(problems) > 0 {
			return fmt.Errorf("the API server would refuse the CRD %s; fix it: %w", changed.Name, problems.ToAggregate())
		}
		return nil
	}
	problems, err := Refusals(ctx, current, changed)
	if err == nil && len(problems) > 0 {
		err = fmt.Errorf("the API server would refuse the changed CRD %s; fix it: %w", changed.Name, problems.ToAggregate())
	}
	return err
}

// Refusals are the errors for which the API server refuses to change a CRD into another of the same name.
func Refusals(ctx context.Context, current, changed *apiextv1.CustomResourceDefinition) (problems field.ErrorList, err error) {
	if current.Name != changed.Name {
		return nil, fmt.Errorf("%s is not a change of the CRD %s; use the same metadata.name", changed.Name, current.Name)
	}
	after, err := crd.Internal(changed)
	if err != nil {
		return nil, fmt.Errorf("the changed CRD %s: %w", changed.Name, err)
	}
	before, err := crd.Internal(current)
	if err != nil {
		return nil, fmt.Errorf("the current CRD %s: %w", current.Name, err)
	}
	// What the server writes is as it was; it wants to know what it changes, which a CRD that comes from a file does not tell.
	before.ResourceVersion = cmp.Or(before.ResourceVersion, "1")
	annotations, stored := after.Annotations, after.Status.StoredVersions
	after.ObjectMeta, after.Status = *before.ObjectMeta.DeepCopy(), *before.Status.DeepCopy()
	after.Annotations, after.Status.StoredVersions = annotations, stored
	defer func() {
		if p := recover(); p != nil { // selectable fields of a schema that is not structural, as in crd.Validate
			err = fmt.Errorf("the validation of %s panicked: %v", changed.Name, p)
		}
	}()
	return validation.ValidateCustomResourceDefinitionUpdate(ctx, after, before), nil
}
