// SPDX-License-Identifier: Apache-2.0

// Package crdform recognizes the files that controller-gen writes: by their names, their annotation, and the form in which its
// writer puts YAML. It does not make them, and does not import controller-tools.
package crdform

import (
	"bytes"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	k8syaml "sigs.k8s.io/yaml"
)

// Version is the version of sigs.k8s.io/controller-tools that crdctl makes these files with.
const Version = "v0.23.0"

// Annotation marks the CRDs that controller-gen or crdctl made, with the version of the maker.
const Annotation = "controller-gen.kubebuilder.io/version"

// Owns reports whether a file was generated from packages of the groups: a CRD that bears the annotation, is of one of the
// groups, and has the name that the generator gives it. Other people's CRDs bear the annotation too. A file that is
// empty is what a crash left of one.
func Owns(name string, manifest []byte, groups []string) bool {
	if len(manifest) == 0 {
		return true
	}
	var crd apiextv1.CustomResourceDefinition
	if err := k8syaml.Unmarshal(manifest, &crd); err != nil {
		return false
	}
	_, marked := crd.Annotations[Annotation]
	return marked && slices.Contains(groups, crd.Spec.Group) && name == crd.Spec.Group+"_"+crd.Spec.Names.Plural+".yaml"
}

// InForm reports whether a manifest of one document has the form in which controller-gen writes it: after a line of dashes,
// the YAML that its writer makes of the same values. A file that a script changed afterwards seldom has.
func InForm(manifest []byte) bool {
	rest, ok := bytes.CutPrefix(manifest, []byte("---\n"))
	if !ok {
		return false
	}
	values, err := k8syaml.YAMLToJSON(rest)
	if err != nil {
		return false
	}
	again, err := k8syaml.JSONToYAML(values)
	return err == nil && bytes.Equal(again, rest)
}
