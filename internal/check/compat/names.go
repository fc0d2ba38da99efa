// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/crd"
	"github.com/crdctl/crdctl/internal/crd/compat"
)

// refused finds what the API server refuses about the change alone; what it would refuse of a new CRD is not the matter of a comparison.
func (all *findings) refused(ctx context.Context, old, now *project.CRD) error {
	established := old.DeepCopy()
	established.Status = apiextv1.CustomResourceDefinitionStatus{
		Conditions: []apiextv1.CustomResourceDefinitionCondition{{Type: apiextv1.Established, Status: apiextv1.ConditionTrue}},
	}
	problems, err := compat.Refusals(ctx, established, now.CustomResourceDefinition)
	if err != nil {
		return fmt.Errorf("compare %s: %w", now.Name, err)
	}
	if len(problems) == 0 {
		return nil
	}
	alone := crd.Validate(now.CustomResourceDefinition)
	for _, p := range problems {
		known := false
		for _, a := range alone {
			known = known || a.Field == p.Field && a.Type == p.Type
		}
		// A version in which objects are stored and that is gone is a rule of its own. Metadata is that of the older CRD, which may be a template.
		if known || strings.HasPrefix(p.Field, "status.") || strings.HasPrefix(p.Field, "metadata.") {
			continue
		}
		keys := strings.FieldsFunc(p.Field, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
		all.add(rule.New("refused-update", now.InManifest(keys...), now.Subject("")+": "+p.Field, "the API server refuses the change of %s: %s", p.Field, p.Detail))
	}
	return nil
}

// names finds names that went, by which scripts and people ask for the objects. The kind, the scope and the plural cannot change at all.
func (all *findings) names(old, now *project.CRD) {
	was, is := old.Spec.Names, now.Spec.Names
	known := append([]string{is.Singular, is.Plural}, is.ShortNames...)
	var gone []string
	for _, name := range append([]string{was.Singular}, was.ShortNames...) {
		if name != "" && !slices.Contains(known, name) && name != strings.ToLower(is.Kind) {
			gone = append(gone, name)
		}
	}
	for _, category := range was.Categories {
		if !slices.Contains(is.Categories, category) {
			gone = append(gone, "the category "+category)
		}
	}
	if was.ListKind != is.ListKind && was.ListKind != "" && is.ListKind != "" {
		gone = append(gone, "the list kind "+was.ListKind)
	}
	if len(gone) > 0 {
		all.add(rule.New("names-changed", now.At(storageOf(now), nil, "resource:"), now.Subject(""), "names of %s were removed: %s", is.Kind, few(gone)))
	}
}

// kept finds that what no schema knows is no longer kept anywhere, as it was in the old way that is not of one field.
func (all *findings) kept(old, now *project.CRD) {
	if old.Spec.PreserveUnknownFields && !now.Spec.PreserveUnknownFields {
		all.add(byMarker(rule.New("additional-closed", now.InManifest("spec", "preserveUnknownFields"), now.Subject(""),
			"preserveUnknownFields of %s is no longer set: fields that the schema does not know are no longer kept", now.Spec.Names.Kind), now))
	}
}

// conversion finds a conversion that ended, or speaks less.
func (all *findings) conversion(old, now *project.CRD) {
	was, is := old.Spec.Conversion, now.Spec.Conversion
	if !converts(old.CustomResourceDefinition) {
		return
	}
	add := func(format string, args ...any) {
		all.add(rule.New("conversion-changed", now.InManifest("spec", "conversion"), now.Subject(""), format, args...))
	}
	if !converts(now.CustomResourceDefinition) {
		if len(now.Spec.Versions) > 1 {
			add("the conversion webhook of %s was removed, and it still has %d versions", now.Spec.Names.Kind, len(now.Spec.Versions))
		}
		return
	}
	if was.Webhook == nil || is.Webhook == nil {
		return
	}
	for _, review := range was.Webhook.ConversionReviewVersions {
		if !slices.Contains(is.Webhook.ConversionReviewVersions, review) {
			add("the conversion webhook of %s no longer takes reviews of the version %s", now.Spec.Names.Kind, review)
		}
	}
}

func converts(crd *apiextv1.CustomResourceDefinition) bool {
	return crd.Spec.Conversion != nil && crd.Spec.Conversion.Strategy == apiextv1.WebhookConverter
}
