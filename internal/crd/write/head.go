// SPDX-License-Identifier: Apache-2.0

package write

import (
	"context"
	"fmt"
	"math"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// head validates what all objects of a version have, and the fields of the scale subresource. The API server's registry of custom resources has
// the same, which TestLikeServer holds this to.
type head struct {
	kind       runtimeschema.GroupVersionKind
	namespaced bool
	scale      *apiextv1.CustomResourceSubresourceScale
}

func headOf(crd *apiextv1.CustomResourceDefinition, v *apiextv1.CustomResourceDefinitionVersion) head {
	h := head{
		kind:       runtimeschema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind},
		namespaced: crd.Spec.Scope == apiextv1.NamespaceScoped,
	}
	if v.Subresources != nil {
		h.scale = v.Subresources.Scale
	}
	return h
}

func (h head) typeMeta(object map[string]any) (all field.ErrorList) {
	u := unstructured.Unstructured{Object: object}
	if u.GetKind() != h.kind.Kind {
		all = append(all, field.Invalid(field.NewPath("kind"), u.GetKind(), "must be "+h.kind.Kind))
	}
	if want := h.kind.GroupVersion().String(); u.GetAPIVersion() != want {
		all = append(all, field.Invalid(field.NewPath("apiVersion"), u.GetAPIVersion(), "must be "+want))
	}
	return all
}

// metadata validates the metadata of an object that is created, or updated if there is an old one.
func (h head) metadata(ctx context.Context, object, old map[string]any) field.ErrorList {
	path := field.NewPath("metadata")
	now, errs := metaOf(object)
	if len(errs) > 0 {
		return errs
	}
	beta := utilfeature.DefaultFeatureGate.Enabled(features.DeclarativeValidationBeta)
	if old == nil {
		return validation.ValidateObjectMetaDeclaratively(ctx, operation.Create, now, nil, h.namespaced, validation.NameIsDNSSubdomain, path, beta)
	}
	was, errs := metaOf(old)
	if len(errs) > 0 {
		return errs
	}
	return validation.ValidateObjectMetaDeclaratively(ctx, operation.Update, now, was, h.namespaced, nil, path, beta)
}

func metaOf(object map[string]any) (*metav1.ObjectMeta, field.ErrorList) {
	read := &metav1.ObjectMeta{}
	raw, ok := object["metadata"].(map[string]any)
	if !ok {
		if object["metadata"] == nil {
			return read, nil
		}
		return nil, field.ErrorList{field.Invalid(field.NewPath("metadata"), object["metadata"], fmt.Sprintf("expected map[string]interface{}, got %T", object["metadata"]))}
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, read); err != nil {
		return nil, field.ErrorList{field.Invalid(field.NewPath("metadata"), raw, err.Error())}
	}
	return read, nil
}

func (h head) scaleSpec(object map[string]any) field.ErrorList {
	if h.scale == nil {
		return nil
	}
	return replicas(object, h.scale.SpecReplicasPath)
}

func (h head) scaleStatus(object map[string]any) field.ErrorList {
	if h.scale == nil {
		return nil
	}
	all := replicas(object, h.scale.StatusReplicasPath)
	if path := h.scale.LabelSelectorPath; path != nil {
		selector, _, err := unstructured.NestedString(object, namesOf(*path)...)
		if err != nil {
			all = append(all, field.Invalid(field.NewPath(*path), selector, err.Error()))
		}
	}
	return all
}

// replicas validates the number that a path of the scale subresource leads to.
func replicas(object map[string]any, path string) field.ErrorList {
	n, _, err := unstructured.NestedInt64(object, namesOf(path)...)
	at := field.NewPath(path)
	switch {
	case err != nil:
		return field.ErrorList{field.Invalid(at, n, err.Error())}
	case n < 0:
		return field.ErrorList{field.Invalid(at, n, "should be a non-negative integer")}
	case n > math.MaxInt32:
		return field.ErrorList{field.Invalid(at, n, fmt.Sprintf("should be less than or equal to %v", math.MaxInt32))}
	}
	return nil
}

func namesOf(path string) []string { return strings.Split(strings.TrimPrefix(path, "."), ".") }
