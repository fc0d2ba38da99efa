// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/types"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// A copy of Kubernetes' program before v1.35 reverses what is before the first slash, and so all of a name without one.
func TestReverse(t *testing.T) {
	assert.Equal(t, "Time.v1.meta.apis.pkg.apimachinery.k8s.io", reverse("io.k8s.apimachinery.pkg.apis.meta.v1.Time"))
	assert.Equal(t, "com.example.apis.a.v1.Apple", reverse("example.com/apis/a/v1.Apple"))
}

// A program that prints the definitions of openapi-gen's file lacks the types that no tag asks for.
func TestLeaveUntagged(t *testing.T) {
	universe := types.Universe{}
	universe.Package("tagged").Comments = []string{"+k8s:openapi-gen=true"}
	m := &models{definition: map[types.Name]string{}, context: &generator.Context{Universe: universe}}
	all := spec.Definitions{}
	for _, one := range []*types.Type{
		{Name: types.Name{Package: "tagged", Name: "InPackage"}},
		{Name: types.Name{Package: "plain", Name: "Alone"}},
		{Name: types.Name{Package: "plain", Name: "Type"}, CommentLines: []string{"Type is.", "+k8s:openapi-gen=true"}},
	} {
		m.all = append(m.all, one)
		m.definition[one.Name] = one.Name.String()
		all[one.Name.String()] = spec.Schema{}
	}
	m.leaveUntagged(all)
	assert.Equal(t, []string{"plain.Type", "tagged.InPackage"}, slices.Sorted(maps.Keys(all)))
}
