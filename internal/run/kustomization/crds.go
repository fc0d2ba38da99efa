// SPDX-License-Identifier: Apache-2.0

package kustomization

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/crd/manifest"
)

// CRDs reads the CRDs of a file, a directory or a kustomization that a user named.
func CRDs(path string) ([]manifest.CRD, error) {
	file := File(path)
	if file == "" {
		return manifest.CRDs(path)
	}
	built, err := Build(path)
	if err != nil {
		return nil, err
	}
	var objects []manifest.Object
	for _, o := range built.Objects {
		objects = append(objects, manifest.Object{Unstructured: o, File: file, Line: 1})
	}
	crds, err := manifest.CRDsAmong(objects)
	if err == nil && len(crds) == 0 {
		err = fmt.Errorf("%s: the kustomization has no CustomResourceDefinition", path)
	}
	return crds, err
}
