// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdctl/crdctl/internal/crd/write"
)

// resource is one state of a CRD, with what the API server makes of its schemas.
type resource struct {
	kind     runtimeschema.GroupKind
	versions map[string]*write.Version
	storage  string
	// converts reports whether a webhook makes one version of another; without it, only apiVersion changes.
	converts bool
}

// compile makes the validators of all versions.
func compile(crd *apiextv1.CustomResourceDefinition) (*resource, error) {
	r := &resource{
		kind:     runtimeschema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind},
		versions: map[string]*write.Version{},
		converts: crd.Spec.Conversion != nil && crd.Spec.Conversion.Strategy == apiextv1.WebhookConverter,
	}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		compiled, err := write.Compile(crd, v)
		if err != nil {
			return nil, fmt.Errorf("version %s: %w", v.Name, err)
		}
		r.versions[v.Name] = compiled
		if v.Storage {
			r.storage = v.Name
		}
	}
	if r.storage == "" {
		return nil, errors.New("no version has storage: true; set it for one")
	}
	return r, nil
}

// owns refuses objects that are none of the CRD's.
func (r *resource) owns(u *unstructured.Unstructured) error {
	if gvk := u.GroupVersionKind(); gvk.GroupKind() != r.kind || r.versions[gvk.Version] == nil {
		return fmt.Errorf("%s is a %s of %q, which the current CRD does not have; list the objects of %s at one of %s",
			name(u.GetNamespace(), u.GetName()), u.GetKind(), u.GetAPIVersion(), r.kind, strings.Join(slices.Sorted(maps.Keys(r.versions)), ", "))
	}
	return nil
}

// targets are the versions as which an object of a version is validated: its own, and the one that is stored. With a
// webhook the latter is the webhook's to make.
func (r *resource) targets(own string) []string {
	var all []string
	if r.versions[own] != nil {
		all = append(all, own)
	}
	if r.storage != own && !r.converts {
		all = append(all, r.storage)
	}
	return all
}

// stores is the version as which an object is written as far as can be told; empty if that cannot be.
func (r *resource) stores(own string) string {
	switch {
	case !r.converts:
		return r.storage
	case r.versions[own] != nil:
		return own
	}
	return ""
}

// read is an object as the API server hands it out at a version, with the fields that are left out on the way: it
// reads it at its own version, and then makes the other of it.
func (r *resource) read(u *unstructured.Unstructured, to string) (object map[string]any, lost []string, err error) {
	read := u.DeepCopy()
	if own := r.versions[versionOf(u)]; own != nil {
		if lost, err = own.Decode(read.Object); err != nil {
			return nil, nil, err
		}
	}
	if to != versionOf(u) {
		read.SetAPIVersion(r.kind.Group + "/" + to)
		more, err := r.versions[to].Decode(read.Object)
		if err != nil {
			return nil, nil, err
		}
		lost = append(lost, more...)
	}
	return read.Object, lost, nil
}
