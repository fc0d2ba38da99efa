// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// All that apimachinery registers in a group or without one is refused as a kind.
func TestTakenKindsAreThoseOfApimachinery(t *testing.T) {
	scheme, version := runtime.NewScheme(), schema.GroupVersion{Group: "stable.example.com", Version: "v1"}
	metav1.AddToGroupVersion(scheme, version)
	for _, v := range []schema.GroupVersion{version, metav1.Unversioned} {
		for kind := range scheme.KnownTypes(v) {
			assert.NotEmpty(t, takenKinds[kind], "kind %s is accepted", kind)
		}
	}
}
