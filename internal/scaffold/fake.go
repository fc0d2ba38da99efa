// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"k8s.io/apimachinery/pkg/api/meta/testrestmapper"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// FakeFindsKind reports whether the fake clientset that tracks fields gets from the resource to the kind. It guesses
// plurals and knows of no exceptions, so it is asked in the way that it asks itself.
func (a *API) FakeFindsKind() bool {
	scheme := runtime.NewScheme()
	gv := schema.GroupVersion{Group: a.Group, Version: a.Version}
	scheme.AddKnownTypeWithName(gv.WithKind(a.Kind), &metav1.PartialObjectMetadata{})
	kind, err := testrestmapper.TestOnlyStaticRESTMapper(scheme).KindFor(gv.WithResource(a.Plural))
	return err == nil && kind.Kind == a.Kind
}
