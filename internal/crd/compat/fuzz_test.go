// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/crd/compat"
)

// everything has each kind of field that the API server treats in a way of its own.
const everything = `{type: object, required: [a], x-kubernetes-validations: [{rule: "self.a != 'b'"}], properties: {
	a: {type: string, enum: [a, b], default: a}, num: {type: integer, minimum: 1, nullable: true}, port: {x-kubernetes-int-or-string: true},
	ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name], properties: {name: {type: string}}}},
	tags: {type: array, x-kubernetes-list-type: set, items: {type: string, x-kubernetes-validations: [{rule: "self.size() < 9"}], maxLength: 99}},
	map: {type: object, additionalProperties: {type: object, properties: {a: {type: string, format: date-time}}}},
	free: {type: object, x-kubernetes-preserve-unknown-fields: true}, template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}`

// Whatever an object is like: nothing panics, a change that changes nothing has no findings, and what is reported is the same each time.
func FuzzCheck(f *testing.F) {
	all := cases(f)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, object := range slices.Sorted(maps.Keys(all[name].Objects)) {
			f.Add(`{"name":"x"}`, string(all[name].Objects[object]))
		}
	}
	f.Add(`7`, `{"a":"c","num":0,"tags":["a","a"],"template":{"metadata":[]},"map":{"a":{"a":"never"}}}`)
	f.Add(`{"name":7,"labels":[]}`, `[null,{"a":[[]]}]`)
	f.Add(`{"name":"x"}`, `{"template":7,"ports":[{"name":null},{}],"num":null,"free":{"a":1e300}}`)
	c := parse(f, "current: [{v1: {type: object, x-kubernetes-preserve-unknown-fields: true}}]\nchanged: [{v1: "+everything+"}, {v2: "+everything+"}]")
	// Compiled once: an input would take most of its time for that.
	current, changed := crd(group, "current", c.Current), crd(group, "changed", c.Changed)
	change, err := compat.NewChange(current, changed)
	require.NoError(f, err)
	none, err := compat.NewChange(changed, changed)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, metadata, spec string) {
		if !json.Valid([]byte(metadata)) || !json.Valid([]byte(spec)) {
			return
		}
		u := unstructured.Unstructured{}
		if u.UnmarshalJSON([]byte(`{"apiVersion":"`+group+`/v1","kind":"CronTab","metadata":`+metadata+`,"spec":`+spec+`}`)) != nil {
			return
		}
		objects := []unstructured.Unstructured{u}
		first, err := change.Check(t.Context(), objects)
		require.NoError(t, err)
		again, err := change.Check(t.Context(), objects)
		require.NoError(t, err)
		assert.Equal(t, first, again)
		same, err := none.Check(t.Context(), objects)
		require.NoError(t, err)
		assert.Empty(t, same)
	})
}
