// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"fmt"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// version is a version of a CRD in both states.
type version struct {
	all      *findings
	old, now *project.CRD
	was, is  *apiextv1.CustomResourceDefinitionVersion // is may be nil
	inGo     bool                                      // its Go types are in the project
}

// served reports whether there is more to compare: the version is still there, and clients or stored objects use it. It finds those that went.
func (v *version) served() bool {
	name := v.was.Name
	add := func(id string, e effect, at rule.Place, format string, args ...any) {
		f := rule.New(id, at, v.now.Subject(name), format, args...)
		f.Severity = severity(v.was, e)
		v.all.add(byMarker(f, v.now))
	}
	switch {
	case v.is == nil && v.was.Storage:
		// The API server refuses this, whatever the version promised.
		v.all.add(rule.New("stored-version-removed", v.now.InManifest("spec", "versions"), v.now.Subject(name),
			"the version %s was removed, in which objects were stored", name))
		return false
	case v.is == nil && v.was.Served:
		add("served-removed", breaks, v.now.InManifest("spec", "versions"), "the version %s was removed, which was served", name)
		return false
	case v.is == nil:
		return false
	case v.was.Served && !v.is.Served:
		add("served-off", breaks, v.now.InManifest(versionKeys(v.now, name, "served")...), "the version %s is no longer served", name)
	}
	// The API server reads what is stored in a version by its schema, even after it is no longer served.
	return v.was.Served && v.is.Served || v.was.Storage || slices.Contains(v.old.Status.StoredVersions, name)
}

// byMarker is a finding in a manifest, with the fix by a marker where the manifest is generated.
func byMarker(f rule.Finding, now *project.CRD) rule.Finding {
	if now.HasTypes(storageOf(now)) {
		f.Fix = f.Rule.Fix
	}
	return f
}

// unserved reports whether only what is stored matters.
func (v *version) unserved() bool { return !v.was.Served || !v.is.Served }

func versionKeys(crd *project.CRD, name string, keys ...string) []string {
	i := slices.IndexFunc(crd.Spec.Versions, func(v apiextv1.CustomResourceDefinitionVersion) bool { return v.Name == name })
	return append([]string{"spec", "versions", fmt.Sprint(i)}, keys...)
}

func storageOf(crd *project.CRD) string {
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

func schemaOf(v *apiextv1.CustomResourceDefinitionVersion) *apiextv1.JSONSchemaProps {
	if v == nil || v.Schema == nil {
		return nil
	}
	return v.Schema.OpenAPIV3Schema
}

// subresources finds subresources that went or changed.
func (v *version) subresources() {
	was, is := subresourcesOf(v.was), subresourcesOf(v.is)
	add := func(id string, e effect, word, format string, args ...any) {
		at := v.now.At(v.was.Name, nil, "subresource:"+word)
		f := rule.New(id, at, v.now.Subject(v.was.Name), format, args...)
		f.Severity = severity(v.was, e)
		v.all.list = append(v.all.list, entry{Finding: f, scope: v.now.Name})
	}
	if was.Status != nil && is.Status == nil {
		add("subresource-removed", breaks, "status", "the subresource status of %s was removed", v.now.Spec.Names.Kind)
	}
	switch {
	case was.Scale != nil && is.Scale == nil:
		add("subresource-removed", breaks, "scale", "the subresource scale of %s was removed", v.now.Spec.Names.Kind)
	case was.Scale != nil:
		for _, path := range []struct{ name, was, is string }{
			{"specReplicasPath", was.Scale.SpecReplicasPath, is.Scale.SpecReplicasPath},
			{"statusReplicasPath", was.Scale.StatusReplicasPath, is.Scale.StatusReplicasPath},
			{"labelSelectorPath", deref(was.Scale.LabelSelectorPath), deref(is.Scale.LabelSelectorPath)},
		} {
			if path.was != path.is && path.was != "" {
				add("scale-path-changed", risks, "scale", "%s of the subresource scale of %s changed from %s to %s", path.name, v.now.Spec.Names.Kind, quoted(path.was), quoted(path.is))
			}
		}
	}
}

func subresourcesOf(v *apiextv1.CustomResourceDefinitionVersion) apiextv1.CustomResourceSubresources {
	if v.Subresources == nil {
		return apiextv1.CustomResourceSubresources{}
	}
	return *v.Subresources
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func quoted(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// shown finds fields that can no longer be selected, and columns that are no longer shown.
func (v *version) shown() {
	var columns []string
	for _, c := range v.was.AdditionalPrinterColumns {
		if !slices.ContainsFunc(v.is.AdditionalPrinterColumns, func(d apiextv1.CustomResourceColumnDefinition) bool { return d.Name == c.Name }) {
			columns = append(columns, c.Name)
		}
	}
	var fields []string
	for _, s := range v.was.SelectableFields {
		if !slices.Contains(v.is.SelectableFields, s) {
			fields = append(fields, s.JSONPath)
		}
	}
	add := func(id string, e effect, word, format string, args ...any) {
		f := rule.New(id, v.now.At(v.was.Name, nil, word), v.now.Subject(v.was.Name), format, args...)
		f.Severity = severity(v.was, e)
		v.all.list = append(v.all.list, entry{Finding: f, scope: v.now.Name})
	}
	if len(columns) > 0 {
		add("column-removed", shows, "printcolumn", "printer columns of %s were removed: %s", v.now.Spec.Names.Kind, few(columns))
	}
	if len(fields) > 0 {
		add("selectable-removed", breaks, "selectablefield", "fields of %s can no longer be selected: %s", v.now.Spec.Names.Kind, few(fields))
	}
}
