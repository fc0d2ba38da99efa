// SPDX-License-Identifier: Apache-2.0

package crdimport

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/crd/sample"
)

// Sample is an object of a version, in YAML, with what the schema requires and nothing else. It is a guess: valid reports whether
// the schema takes it, rules of CEL apart, which the API server alone knows.
func (d *Definition) Sample(version, name string) (object []byte, valid bool) {
	i := slices.IndexFunc(d.CRD.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version })
	if i < 0 || d.CRD.Spec.Versions[i].Schema == nil {
		return nil, false
	}
	root := d.CRD.Spec.Versions[i].Schema.OpenAPIV3Schema
	o := map[string]any{}
	if sampled, ok := sample.Of(root, false).(map[string]any); ok {
		o = sampled
	}
	delete(o, "status")
	if _, has := root.Properties["spec"]; has && o["spec"] == nil {
		o["spec"] = map[string]any{}
	}
	o["apiVersion"], o["kind"] = d.Group+"/"+version, d.Kind
	metadata := map[string]any{"name": name}
	if d.Namespaced {
		metadata["namespace"] = "default"
	}
	o["metadata"] = metadata
	text, err := yaml.Marshal(o)
	return text, err == nil && sample.Validate(root, nil, o) == nil
}
