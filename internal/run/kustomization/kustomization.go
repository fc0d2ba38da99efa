// SPDX-License-Identifier: Apache-2.0

// Package kustomization builds a kustomization in memory, with the library that kubectl has for "kubectl kustomize".
//
// It downloads nothing, runs no plugins and writes nothing: a kustomization that names something on another machine is an error. It does
// not talk to clusters.
package kustomization

import (
	"fmt"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/crdctl/crdctl/internal/crd/manifest"
)

// Built is what a kustomization makes.
type Built struct {
	Objects []*unstructured.Unstructured
	// Files are those that were read or are missing, as absolute paths: a change of one of them may change the objects.
	Files []string
}

// File returns the kustomization file of a directory; "" where it has none, as for anything that is not a directory.
func File(dir string) string { return manifest.Kustomization(dir) }

// IsFile reports whether a path has a name that kustomization files have.
func IsFile(path string) bool {
	return slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(path))
}

// Build builds the kustomization in a directory.
func Build(dir string) (*Built, error) {
	files := &localFiles{FileSystem: filesys.MakeFsOnDisk()}
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, dir)
	slices.Sort(files.read)
	b := &Built{Files: slices.Compact(files.read)}
	if files.refused != nil {
		return b, files.refused
	}
	if err != nil {
		return b, fmt.Errorf("build the kustomization in %s: %w", dir, err)
	}
	for _, r := range made.Resources() {
		content, err := r.MarshalJSON()
		if err != nil {
			return b, err
		}
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON(content); err != nil {
			return b, fmt.Errorf("build the kustomization in %s: %w", dir, err)
		}
		b.Objects = append(b.Objects, o)
	}
	return b, nil
}

// Namespaced reports whether the objects of a kind of Kubernetes itself are in namespaces. Of other kinds it knows nothing.
func Namespaced(apiVersion, kind string) bool {
	namespaced, _ := openapi.IsNamespaceScoped(kyaml.TypeMeta{APIVersion: apiVersion, Kind: kind})
	return namespaced
}
