package compat_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/crd/compat"
	"github.com/stretchr/testify/require"
)

// everything has each kind of field that the API server treats in a way of its own.
const everything = `{type: object, required: [a], x-kubernetes-validations: [{rule: "self.a != 'b'"}], properties: {
	a: {type: string, enum: [a, b], default: a}, num: {type: integer, minimum: 1, nullable: true}, port: {x-kubernetes-int-or-string: true},
	ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name], properties: {name: {type: string}}}},
	tags: {type: array, x-kubernetes-list-type: set, items: {type: string, x-kubernetes-validations: [{rule: "self.size() < 9"}], maxLength: 99}},
	map: {type: object, additionalProperties: {type: object, properties: {a: {type: string, format: date-time}}}},
	free: {type: object, x-kubernetes-preserve-unknown-fields: true}, template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}`

// Whatever an object is like: nothing panics, a change that changes nothing has no findings, and what is said is the same each time.
func FuzzCheck(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		for _, u := range cases[name].made(f, group) {
			spec, err := json.Marshal(u.Object["spec"])
			require.NoError(f, err)
			f.Add(`{"name":"x"}`, string(spec))
		}
	}
	f.Add(`7`, `{"a":"c","num":0,"tags":["a","a"],"template":{"metadata":[]},"map":{"a":{"a":"never"}}}`)
	f.Add(`{"name":7,"labels":[]}`, `[null,{"a":[[]]}]`)
	f.Add(`{"name":"x"}`, `{"template":7,"ports":[{"name":null},{}],"num":null,"free":{"a":1e300}}`)
	current := crd(f, group, "current", []string{"v1", `{type: object, x-kubernetes-preserve-unknown-fields: true}`})
	changed := crd(f, group, "changed", []string{"v1", everything, "v2", everything})
	f.Fuzz(func(t *testing.T, metadata, spec string) {
		var parts [2]any
		for i, text := range []string{metadata, spec} {
			if json.Unmarshal([]byte(text), &parts[i]) != nil {
				return
			}
		}
		data, err := json.Marshal(map[string]any{"apiVersion": group + "/v1", "kind": "CronTab", "metadata": parts[0], "spec": parts[1]})
		require.NoError(t, err)
		u := unstructured.Unstructured{}
		if err := u.UnmarshalJSON(data); err != nil {
			return
		}
		objects := []unstructured.Unstructured{u}
		first, err := compat.Check(t.Context(), current, changed, objects)
		require.NoError(t, err)
		again, err := compat.Check(t.Context(), current, changed, objects)
		if err != nil || compat.Text(first) != compat.Text(again) {
			t.Errorf("%s\nand then %v\n%s", compat.Text(first), err, compat.Text(again))
		}
		if none, err := compat.Check(t.Context(), changed, changed, objects); err != nil || len(none) > 0 {
			t.Errorf("nothing was changed: %v\n%s", err, compat.Text(none))
		}
	})
}
