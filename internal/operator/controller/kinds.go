// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"errors"
	"fmt"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// Kind is one kind of object to follow, at the one version in which it is read.
type Kind struct {
	Resource   schema.GroupVersionResource
	Kind       string
	Namespaced bool
	// StatusSubresource tells that the status is written by itself, and ObservedGeneration that it also has a field for the
	// generation that it is about. Without the subresource, writing the status would make a new generation, for ever.
	StatusSubresource, ObservedGeneration bool
}

// KindsOf picks the version to read for each CRD: the storage version where it is served, which saves the API server a
// conversion, and the first served one otherwise. The error names every CRD that serves no version at all.
func KindsOf(crds ...*apiextv1.CustomResourceDefinition) ([]Kind, error) {
	kinds := make([]Kind, 0, len(crds))
	var problems []error
	for _, crd := range crds {
		version := versionToRead(crd)
		if version == nil {
			problems = append(problems, fmt.Errorf("customresourcedefinition %s does not serve any version; set served: true on one of spec.versions", crd.Name))
			continue
		}
		status := version.Subresources != nil && version.Subresources.Status != nil
		kinds = append(kinds, Kind{
			Resource:   schema.GroupVersionResource{Group: crd.Spec.Group, Version: version.Name, Resource: crd.Spec.Names.Plural},
			Kind:       crd.Spec.Names.Kind,
			Namespaced: crd.Spec.Scope == apiextv1.NamespaceScoped,

			StatusSubresource: status, ObservedGeneration: status && hasObservedGeneration(version),
		})
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return kinds, nil
}

func versionToRead(crd *apiextv1.CustomResourceDefinition) (first *apiextv1.CustomResourceDefinitionVersion) {
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Served && v.Storage {
			return v
		}
		if v.Served && first == nil {
			first = v
		}
	}
	return first
}

func hasObservedGeneration(v *apiextv1.CustomResourceDefinitionVersion) bool {
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return false
	}
	_, declared := v.Schema.OpenAPIV3Schema.Properties["status"].Properties["observedGeneration"]
	return declared
}

// crdName is the name that the kind's CRD has by rule.
func (k Kind) crdName() string { return k.Resource.GroupResource().String() }

// checkKey refuses a key that no object of this kind can have.
func (k Kind) checkKey(key cache.ObjectName) error {
	switch {
	case key.Name == "":
		return errors.New("the name is empty")
	case strings.Contains(key.Name, "/") || strings.Contains(key.Namespace, "/"):
		return errors.New("a name has a slash in it")
	case k.Namespaced && key.Namespace == "":
		return fmt.Errorf("%s is namespaced and the key has no namespace", k.Kind)
	case !k.Namespaced && key.Namespace != "":
		return fmt.Errorf("%s is cluster-scoped and the key has a namespace", k.Kind)
	}
	return nil
}

// Reference points an event at an object of this kind.
func (k Kind) Reference(o *object.Object) ObjectReference {
	return ObjectReference{
		APIVersion: o.APIVersion(), Kind: k.Kind,
		Namespace: o.Namespace(), Name: o.Name(), UID: o.UID(), ResourceVersion: o.ResourceVersion(),
	}
}
