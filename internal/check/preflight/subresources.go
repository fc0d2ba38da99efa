// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// scale finds paths of the scale subresource that lead nowhere.
func scale(crd *project.CRD) (all []rule.Finding) {
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil || v.Subresources == nil || v.Subresources.Scale == nil {
			continue
		}
		s := v.Subresources.Scale
		type path struct {
			key, path, typ string
			under          []string // other paths are refused
		}
		paths := []path{{"specReplicasPath", s.SpecReplicasPath, "integer", []string{".spec."}}, {"statusReplicasPath", s.StatusReplicasPath, "integer", []string{".status."}}}
		if s.LabelSelectorPath != nil {
			paths = append(paths, path{"labelSelectorPath", *s.LabelSelectorPath, "string", []string{".spec.", ".status."}})
		}
		for _, p := range paths {
			if !slices.ContainsFunc(p.under, func(under string) bool { return strings.HasPrefix(p.path, under) }) {
				continue
			}
			to := value{schema: withMeta(v.Schema.OpenAPIV3Schema)}
			for _, name := range strings.Split(p.path[1:], ".") { // the server splits it so, and knows no other paths
				if to.schema != nil {
					to = fieldOf(to.schema, name)
				}
			}
			if to.schema != nil && to.schema.Type != p.typ && !to.schema.XIntOrString {
				to.problem = "it has the type " + to.schema.Type + ", and must have the type " + p.typ
			}
			if to.problem != "" {
				place := ofVersion(crd, v.Name, []string{"subresource:scale"}, "subresources", "scale", p.key)
				f := rule.New("scale-path", place, crd.Subject(v.Name), "%s of the scale subresource is %s: %s", p.key, p.path, to.problem)
				if p.key == "specReplicasPath" {
					f.Severity = rule.Error // the subresource cannot be read
				}
				all = append(all, f)
			}
		}
	}
	return all
}

// subresources finds a status that is in the schema or a subresource alone.
func subresources(crd *project.CRD) (all []rule.Finding) {
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if !v.Served || v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue // no client updates an object by a version that is not served
		}
		root := v.Schema.OpenAPIV3Schema
		_, has := root.Properties["status"]
		enabled := v.Subresources != nil && v.Subresources.Status != nil
		switch {
		case has && !enabled:
			all = append(all, rule.New("status-without-subresource", at(crd, v.Name, []string{"status"}, ""), crd.Subject(v.Name, "status"), "%s has a status, and no status subresource", crd.Spec.Names.Kind))
		case enabled && !has && !preserves(root):
			place := ofVersion(crd, v.Name, []string{"subresource:status"}, "subresources", "status")
			all = append(all, rule.New("subresource-without-status", place, crd.Subject(v.Name), "%s has a status subresource, and no status in its schema", crd.Spec.Names.Kind))
		}
	}
	return all
}

func preserves(s *apiextv1.JSONSchemaProps) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}
