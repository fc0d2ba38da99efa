// SPDX-License-Identifier: Apache-2.0

package crdform

import (
	"bytes"
	"strings"

	k8syaml "sigs.k8s.io/yaml"
)

// OwnsCRD reports whether a file is a CRD that controller-gen of a version wrote and that is one of the groups: it bears that very
// version, has the name that the generator gives it, and is in the form of its writer. Other people's CRDs of the same group, which
// are kept next to one's own, bear the version of their own makers.
func OwnsCRD(name string, manifest []byte, version string, groups []string) bool {
	var head struct {
		Metadata struct{ Annotations map[string]string } `json:"metadata"`
	}
	return version != "" && bytes.Contains(manifest, []byte(version)) && Owns(name, manifest, groups) && k8syaml.Unmarshal(manifest, &head) == nil &&
		head.Metadata.Annotations[Annotation] == version && InForm(manifest)
}

// IsCRD reports whether a file has the CRD, generated or not, for which controller-gen uses the file's name.
func IsCRD(name string, manifest []byte) bool {
	group, plural, ok := strings.Cut(strings.TrimSuffix(name, ".yaml"), "_")
	if !ok {
		return false
	}
	has := func(line string) bool { return bytes.Contains(manifest, []byte("\n"+line+"\n")) }
	if has("kind: CustomResourceDefinition") && has("  group: "+group) && has("    plural: "+plural) {
		return true // as the generator writes it; to parse it takes a hundred times longer
	}
	var crd struct {
		Kind string `json:"kind"`
		Spec struct {
			Group string `json:"group"`
			Names struct {
				Plural string `json:"plural"`
			} `json:"names"`
		} `json:"spec"`
	}
	return k8syaml.Unmarshal(manifest, &crd) == nil && crd.Kind == "CustomResourceDefinition" && crd.Spec.Group == group && crd.Spec.Names.Plural == plural
}
