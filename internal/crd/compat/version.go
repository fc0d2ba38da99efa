// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// version is one version of a CRD, with its validators.
type version struct {
	structural *schema.Structural // nil if there is none, which only the old way of keeping unknown fields allows
	strategy   interface {
		Validate(ctx context.Context, obj runtime.Object) field.ErrorList
	}
	cel *cel.Validator
}

func compileVersion(crd *apiextv1.CustomResourceDefinition, v *apiextv1.CustomResourceDefinitionVersion) (*version, error) {
	internal := &apiextensions.CustomResourceValidation{}
	if v.Schema != nil {
		if err := apiextv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, internal, nil); err != nil {
			return nil, err
		}
	}
	structural, err := structuralOf(internal.OpenAPIV3Schema)
	if err != nil && !crd.Spec.PreserveUnknownFields {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	var scale *apiextensions.CustomResourceSubresourceScale
	if v.Subresources != nil && v.Subresources.Scale != nil {
		scale = &apiextensions.CustomResourceSubresourceScale{}
		if err := apiextv1.Convert_v1_CustomResourceSubresourceScale_To_apiextensions_CustomResourceSubresourceScale(v.Subresources.Scale, scale, nil); err != nil {
			return nil, err
		}
	}
	kind := runtimeschema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}
	return &version{
		structural: structural,
		// The API server's own strategy, but without the structural schema: with it, it would run CEL too, and not tell what that said.
		strategy: customresource.NewStrategy(nil, crd.Spec.Scope == apiextv1.NamespaceScoped, kind, validator, nil, nil, nil, scale, nil),
		cel:      cel.NewValidator(structural, true, celconfig.PerCallLimit),
	}, nil
}

// structuralOf makes a schema structural, which is what pruning, defaults and CEL need.
func structuralOf(props *apiextensions.JSONSchemaProps) (*schema.Structural, error) {
	if props == nil {
		return nil, errors.New("no schema; write one at schema.openAPIV3Schema")
	}
	s, err := schema.NewStructural(props)
	if err != nil {
		return nil, fmt.Errorf("the schema is not structural: %w", err)
	}
	if problems := schema.ValidateStructural(field.NewPath("schema", "openAPIV3Schema"), s); len(problems) > 0 {
		return nil, fmt.Errorf("the schema is not structural: %w", problems.ToAggregate())
	}
	s = s.DeepCopy() // defaults are shared with what it was made of
	if err := defaulting.PruneDefaults(s); err != nil {
		return nil, fmt.Errorf("prune the defaults: %w", err)
	}
	return s, nil
}

// values is what is wrong with an object, CEL rules aside: metadata, the OpenAPI schema, the fields of the scale
// subresource, embedded objects, lists that are sets or maps.
func (v *version) values(ctx context.Context, object map[string]any) problems {
	var all problems
	add := func(errs field.ErrorList) {
		for _, e := range errs {
			// What else is wrong with a field that is invalid already is no matter.
			all = append(all, problem{e, e.Field + " " + string(e.Type)})
		}
	}
	add(v.strategy.Validate(ctx, &unstructured.Unstructured{Object: object}))
	add(objectmeta.Validate(ctx, nil, object, v.structural, false))
	add(listtype.ValidateListSetsAndMaps(nil, v.structural, object))
	return all
}

// rules are the CEL rules that an object breaks. Those that look at the old object have none to look at, and are left out.
func (v *version) rules(ctx context.Context, object map[string]any) problems {
	if v.cel == nil {
		return nil
	}
	var all problems
	errs, _ := v.cel.Validate(ctx, nil, v.structural, object, nil, celconfig.RuntimeCELCostBudget)
	for _, e := range errs {
		// One field has many rules, which only their words tell apart.
		all = append(all, problem{e, e.Field + " " + e.Detail})
	}
	return all
}
