// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// The table has the kinds that client-go knows to be removed, as it knows them.
func TestRemoved(t *testing.T) {
	// newest is the minor version of client-go in go.mod.
	const newest = 37
	compared := 0
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		object, ok := reflect.New(typ).Interface().(interface{ APILifecycleRemoved() (int, int) })
		if !ok || strings.HasSuffix(gvk.Kind, "List") || gvk.Kind == "Scale" || gvk.Kind == "DeploymentRollback" || gvk.Kind == "Eviction" {
			continue
		}
		_, minor := object.APILifecycleRemoved()
		if minor > newest {
			assert.NotContains(t, removedKinds, gvk.GroupVersion().String()+" "+gvk.Kind)
			continue
		}
		compared++
		replacement := "-"
		if by, ok := object.(interface {
			APILifecycleReplacement() schema.GroupVersionKind
		}); ok {
			replacement = by.APILifecycleReplacement().GroupVersion().String()
		}
		want := removedKind{gvk.GroupVersion().String(), gvk.Kind, fmt.Sprint(minor), replacement}
		assert.Equal(t, want, removedKinds[want.apiVersion+" "+want.kind])
	}
	require.GreaterOrEqual(t, compared, 40, "only: kinds compared")
}
