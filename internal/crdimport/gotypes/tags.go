// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/crdimport/document"
)

// tags are the markers of what a CRD has besides the schema.
func (b *builder) tags(d *document.Definition, v *apiextensionsv1.CustomResourceDefinitionVersion, s *schema) []marker {
	spec := d.CRD.Spec
	var said []marker
	add := func(when bool, text string) {
		if when {
			said = append(said, plain(text))
		}
	}
	status, scale := v.Subresources != nil && v.Subresources.Status != nil, v.Subresources != nil && v.Subresources.Scale != nil
	_, hasStatus := s.Properties["status"]
	add(true, "genclient")
	add(!d.Namespaced, "genclient:nonNamespaced")
	add(!status || !hasStatus, "genclient:noStatus")
	add(true, "resourceName="+d.Plural)
	add(true, "k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object")
	resource := fmt.Sprintf("kubebuilder:resource:path=%s,singular=%s,scope=%s", d.Plural, d.Singular, spec.Scope)
	if len(d.ShortNames) > 0 {
		resource += ",shortName=" + strings.Join(d.ShortNames, ";")
	}
	if len(d.Categories) > 0 {
		resource += ",categories=" + strings.Join(d.Categories, ";")
	}
	add(true, resource)
	add(status, "kubebuilder:subresource:status")
	if scale {
		of := v.Subresources.Scale
		text := "kubebuilder:subresource:scale:specpath=" + quote(of.SpecReplicasPath) + ",statuspath=" + quote(of.StatusReplicasPath)
		if of.LabelSelectorPath != nil {
			text += ",selectorpath=" + quote(*of.LabelSelectorPath)
		}
		add(true, text)
	}
	add(v.Storage && len(spec.Versions) > 1, "kubebuilder:storageversion")
	served := slices.ContainsFunc(spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Served })
	add(!v.Served && served, "kubebuilder:unservedversion")
	if !served {
		b.losses = append(b.losses, Loss{"crd.spec.versions", "served: no version of the CRD is served, which controller-tools cannot generate: this one would be served"})
	}
	if v.Deprecated {
		text := "kubebuilder:deprecatedversion"
		if v.DeprecationWarning != nil {
			text += ":warning=" + quote(*v.DeprecationWarning)
		}
		add(true, text)
	}
	for _, c := range v.AdditionalPrinterColumns {
		said = append(said, column(c))
	}
	for _, f := range v.SelectableFields {
		add(true, "kubebuilder:selectablefield:JSONPath="+quote(f.JSONPath))
	}
	for _, pair := range sortedPairs(d.Annotations) {
		add(true, "kubebuilder:metadata:annotations="+quote(pair))
	}
	for _, pair := range sortedPairs(d.CRD.Labels) {
		add(true, "kubebuilder:metadata:labels="+quote(pair))
	}
	b.outsideOfVersions(d)
	return said
}

func column(c apiextensionsv1.CustomResourceColumnDefinition) marker {
	text := "kubebuilder:printcolumn:name=" + quote(c.Name) + ",type=" + quote(c.Type) + ",JSONPath=" + quote(c.JSONPath)
	if c.Description != "" {
		text += ",description=" + quote(c.Description)
	}
	if c.Format != "" {
		text += ",format=" + quote(c.Format)
	}
	if c.Priority != 0 {
		text += fmt.Sprintf(",priority=%d", c.Priority)
	}
	return plain(text)
}

// outsideOfVersions lists what a CRD has outside of its versions and no marker expresses.
func (b *builder) outsideOfVersions(d *document.Definition) {
	if c := d.CRD.Spec.Conversion; c != nil && c.Strategy != apiextensionsv1.NoneConverter {
		b.losses = append(b.losses, Loss{"crd.spec.conversion", "strategy: " + string(c.Strategy) + " is not in the types: objects would change nothing but their apiVersion until the CRD is patched"})
	}
	if want := d.Kind + "List"; d.ListKind != want {
		b.losses = append(b.losses, Loss{"crd.spec.names.listKind", "listKind: " + d.ListKind + " would be " + want})
	}
}

// sortedPairs are annotations or labels as markers have them.
func sortedPairs(of map[string]string) []string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(of)) {
		pairs = append(pairs, key+"="+of[key])
	}
	return pairs
}
