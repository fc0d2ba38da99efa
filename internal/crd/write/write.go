// SPDX-License-Identifier: Apache-2.0

// Package write does with an object what the API server does when one is written: it reads it under a schema, and validates it, on the four
// ways to write: create, update of the spec, update of the metadata, update of the status.
//
// It is the API server's own code in the API server's order, without its registry and storage, which weigh more than all of crdctl's generators.
// It compares no CRDs, and knows no manifests.
package write

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// Version is one version of a CRD, with its validators.
type Version struct {
	Structural *schema.Structural // nil if there is none, which only the old way of keeping unknown fields allows
	// Keeps is the old way in which nothing is pruned: spec.preserveUnknownFields.
	Keeps bool

	head   head
	values validation.SchemaValidator
	status validation.SchemaValidator // nil without a schema of the status
	rules  *cel.Validator
	// hasStatus reports whether the version has the status subresource.
	hasStatus bool
}

// Compile makes the validators of a version.
func Compile(crd *apiextv1.CustomResourceDefinition, v *apiextv1.CustomResourceDefinitionVersion) (*Version, error) {
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
	compiled := &Version{
		Structural: structural, Keeps: crd.Spec.PreserveUnknownFields, head: headOf(crd, v),
		rules: cel.NewValidator(structural, true, celconfig.PerCallLimit), hasStatus: v.Subresources != nil && v.Subresources.Status != nil,
	}
	if compiled.values, _, err = validation.NewSchemaValidator(internal.OpenAPIV3Schema); err != nil {
		return nil, err
	}
	if props := internal.OpenAPIV3Schema; props != nil {
		if status, ok := props.Properties["status"]; ok {
			if compiled.status, _, err = validation.NewSchemaValidator(&status); err != nil {
				return nil, err
			}
		}
	}
	return compiled, nil
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
	if err := typesOf(field.NewPath("schema", "openAPIV3Schema"), s); err != nil {
		return nil, err
	}
	s = s.DeepCopy() // defaults are shared with what it was made of
	if err := defaulting.PruneDefaults(s); err != nil {
		return nil, fmt.Errorf("prune the defaults: %w", err)
	}
	return s, nil
}

// typesOf refuses types that do not exist, as the API server does when the CRD is created. It has no check of its own for them here, and
// no value would be of such a type.
func typesOf(path *field.Path, s *schema.Structural) error {
	switch s.Type {
	case "", "array", "boolean", "integer", "number", "object", "string":
	default:
		return fmt.Errorf("%s %q does not exist", path.Child("type"), s.Type)
	}
	if s.Items != nil {
		if err := typesOf(path.Child("items"), s.Items); err != nil {
			return err
		}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		if err := typesOf(path.Child("additionalProperties"), s.AdditionalProperties.Structural); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		if err := typesOf(path.Child("properties").Key(name), &property); err != nil {
			return err
		}
	}
	return nil
}

// Decode does to an object what the API server does when it decodes one, in its order: what the schema does not know is pruned, malformed
// metadata of embedded objects is dropped, and defaults are set. It returns the paths of what was lost.
func (v *Version) Decode(object map[string]any) (lost []string, err error) {
	if !v.Keeps {
		lost = pruning.PruneWithOptions(object, v.Structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
		defaulting.PruneNonNullableNullsWithoutDefaults(object, v.Structural)
	}
	options := objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true}
	malformed, unknown := objectmeta.CoerceWithOptions(nil, object, v.Structural, false, options)
	lost = append(lost, unknown...)
	if malformed != nil {
		// The first metadata that is malformed is all that the API server's code tells; that there is some is what matters.
		lost = append(lost, malformed.Field)
		options.DropInvalidFields = true
		problem, unknown := objectmeta.CoerceWithOptions(nil, object, v.Structural, false, options)
		if problem != nil {
			return nil, errors.New(Text(problem))
		}
		lost = append(lost, unknown...)
	}
	defaulting.Default(object, v.Structural)
	return lost, nil
}

// Create returns what the API server has against the creation of an object, which was decoded: values first, and then, unless these make
// that senseless, rules of CEL.
func (v *Version) Create(ctx context.Context, object map[string]any) (values, rules field.ErrorList) {
	values = v.Values(ctx, object)
	if !Blocks(values) {
		rules = v.Rules(ctx, object)
	}
	return values, rules
}

// Values is what is wrong with an object that is created, rules of CEL aside: metadata, the OpenAPI schema, the fields of the scale
// subresource, embedded objects, lists that are sets or maps.
func (v *Version) Values(ctx context.Context, object map[string]any) field.ErrorList {
	all := v.head.typeMeta(object)
	if len(all) == 0 {
		all = append(all, v.head.metadata(ctx, object, nil)...)
		all = append(all, placed(validation.ValidateCustomResource(nil, object, v.values))...)
		all = append(all, v.head.scaleSpec(object)...)
		all = append(all, v.head.scaleStatus(object)...)
	}
	all = append(all, objectmeta.Validate(ctx, nil, object, v.Structural, false)...)
	return append(all, listtype.ValidateListSetsAndMaps(nil, v.Structural, object)...)
}

// Rules are the rules of CEL that an object breaks when it is created. Those that look at the old object have none to look at, and are left out.
func (v *Version) Rules(ctx context.Context, object map[string]any) field.ErrorList {
	if v.rules == nil {
		return nil
	}
	errs, _ := v.rules.Validate(ctx, nil, v.Structural, object, nil, celconfig.RuntimeCELCostBudget)
	return errs
}

// Update returns what the API server has against an update of an object, both decoded. As since Kubernetes 1.30, a value that is invalid and that
// the update does not change is let through.
func (v *Version) Update(ctx context.Context, object, old map[string]any) (values, rules field.ErrorList) {
	changes := common.NewCorrelatedObject(object, old, &model.Structural{Structural: v.Structural})
	if values = v.head.typeMeta(object); len(values) == 0 {
		values = append(values, v.head.metadata(ctx, object, old)...)
		values = append(values, placed(validation.ValidateCustomResourceUpdate(nil, object, old, v.values, v.ratcheting(changes)...))...)
		values = append(values, v.head.scaleSpec(object)...)
		values = append(values, v.head.scaleStatus(object)...)
	}
	values = append(values, objectmeta.Validate(ctx, nil, object, v.Structural, false)...)
	return v.changed(ctx, values, object, old, changes)
}

// UpdateStatus is Update for a write of the status subresource: of the new object, only the status counts.
func (v *Version) UpdateStatus(ctx context.Context, object, old map[string]any) (values, rules field.ErrorList) {
	written := maps.Clone(old)
	delete(written, "status")
	status, has := object["status"]
	if has {
		written["status"] = status
	}
	changes := common.NewCorrelatedObject(written, old, &model.Structural{Structural: v.Structural})
	if values = v.head.typeMeta(written); len(values) == 0 {
		values = append(values, v.head.metadata(ctx, written, old)...)
		if has {
			var below *common.CorrelatedObject
			if v.Structural != nil {
				below = changes.Key("status")
			}
			values = append(values, placed(validation.ValidateCustomResourceUpdate(field.NewPath("status"), status, old["status"], v.status, v.ratcheting(below)...))...)
		}
		values = append(values, v.head.scaleStatus(written)...)
	}
	return v.changed(ctx, values, written, old, changes)
}

// ratcheting lets through what does not change, for which there must be a structural schema.
func (v *Version) ratcheting(changes *common.CorrelatedObject) []validation.ValidationOption {
	if v.Structural == nil {
		return nil
	}
	return []validation.ValidationOption{validation.WithRatcheting(changes)}
}

// changed is the end that both kinds of updates have in common: lists that are sets or maps, unless they were wrong already, and rules.
func (v *Version) changed(ctx context.Context, values field.ErrorList, object, old map[string]any, changes *common.CorrelatedObject) (_, rules field.ErrorList) {
	if was := listtype.ValidateListSetsAndMaps(nil, v.Structural, old); len(was) == 0 {
		values = append(values, listtype.ValidateListSetsAndMaps(nil, v.Structural, object)...)
	}
	if v.rules != nil && !Blocks(values) {
		rules, _ = v.rules.Validate(ctx, nil, v.Structural, object, old, celconfig.RuntimeCELCostBudget, cel.WithRatcheting(changes))
	}
	return values, rules
}

// HasStatus reports whether the version has the status subresource: an update of the rest then leaves the status as it is.
func (v *Version) HasStatus() bool { return v.hasStatus }

// Blocks reports whether the API server would not run rules of CEL on an object with such errors, since they could not make sense of it.
func Blocks(errs field.ErrorList) bool {
	for _, e := range errs {
		switch e.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}
