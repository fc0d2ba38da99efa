// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/kustomization"
)

const (
	// whole is the directory of kubebuilder's kustomization of all that a controller needs in a cluster.
	whole = "config/default"
	// deploy is the directory of the Deployment in the scaffold of crdctl.
	deploy = "config/deploy"
)

// Kustomized reports whether a project has a kustomization of all that its controller needs in a cluster, as kubebuilder makes it.
func Kustomized(root string) bool {
	return kustomization.File(filepath.Join(root, filepath.FromSlash(whole))) != ""
}

// Read reads the objects that the controller of a project needs in a cluster: those of kubebuilder's kustomization, or else the
// CRDs, the manifests that the settings name, and those next to the Deployment.
func Read(root string, p *config.Project) (all []*unstructured.Unstructured, err error) {
	if Kustomized(root) {
		built, err := kustomization.Build(filepath.Join(root, filepath.FromSlash(whole)))
		if err != nil {
			return nil, err
		}
		return built.Objects, nil
	}
	places := slices.Concat([]string{deploy, p.CRDs.Dir}, p.Controller.Manifests)
	for _, place := range places {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(place))); place == "" || place == deploy && os.IsNotExist(err) {
			continue
		}
		if kustomization.File(filepath.Join(root, filepath.FromSlash(place))) != "" {
			built, err := kustomization.Build(filepath.Join(root, filepath.FromSlash(place)))
			if err != nil {
				return nil, err
			}
			all = append(all, built.Objects...)
			continue
		}
		objects, err := manifest.Objects(root, filepath.FromSlash(place))
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			all = append(all, o.Unstructured)
		}
	}
	return all, nil
}
