// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/compat"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// crdOf is a CRD whose spec has a schema, with what else of a version a change can be about.
func crdOf(t *testing.T, schema, column, storage string) []*project.CRD {
	text, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "crontabs.stable.example.com"},
		"spec": map[string]any{
			"group": "stable.example.com", "scope": "Namespaced", "names": map[string]any{"kind": "CronTab", "plural": "crontabs", "shortNames": []string{column}},
			"versions": []any{
				map[string]any{
					"name": "v1", "served": true, "storage": storage == "v1", "schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": json.RawMessage(schema)}}},
					"additionalPrinterColumns": []any{map[string]any{"name": column, "type": "string", "jsonPath": column}}, "subresources": map[string]any{"scale": map[string]any{"specReplicasPath": column}},
				},
				map[string]any{"name": storage, "served": true, "storage": storage != "v1", "schema": map[string]any{"openAPIV3Schema": json.RawMessage(schema)}},
			},
		},
	})
	if err != nil {
		return nil
	}
	crds, err := project.Parse("crd.yaml", text)
	if err != nil {
		return nil
	}
	return crds
}

// Two revisions of any CRD, with an object, can be compared: without a panic, and one with itself without a finding.
func FuzzCompare(f *testing.F) {
	f.Add(`{"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "enum": ["x", 1]}, "b": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}}}`,
		`{"type": "object", "x-kubernetes-validations": [{"rule": "self.a == oldSelf.a"}], "properties": {"a": {"type": "string", "default": "y", "pattern": "("}, "b": {"type": "object", "additionalProperties": {"type": "integer"}}}}`,
		`{"a": "x", "b": ["c", "c"]}`, ".spec.a", "v1alpha1")
	f.Add(`{"x-kubernetes-preserve-unknown-fields": true}`, `{"x-kubernetes-int-or-string": true, "allOf": [{"enum": [1]}], "anyOf": [{"type": "integer"}]}`, `[1]`, "", "v1")
	f.Add("{}", "{}", "0", "%!", "0")
	f.Add(`{"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"metadata": {"type": "object"}}}`, `{"type": "number", "multipleOf": 0, "maximum": 1e308}`, `{"metadata": {"name": 1}}`, "[", "v2")
	f.Fuzz(func(t *testing.T, before, after, object, column, storage string) {
		old, now := crdOf(t, before, column, storage), crdOf(t, after, "x", storage)
		objects, err := compat.ReadObjects("o.yaml", []byte(`{"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "a"}, "spec": `+object+`}`))
		if err != nil {
			objects = nil
		}
		found, _, err := compat.Compare(t.Context(), compat.StateOf(old), compat.StateOf(now), objects)
		if err == nil {
			checktest.Formatted(t, found, before, after, object, column, storage)
		}
		same, _, err := compat.Compare(t.Context(), compat.StateOf(old), compat.StateOf(old), objects)
		require.NoError(t, err)
		assert.Empty(t, checktest.Lines(same))
		compat.Versions(now)
	})
}

// Two states of any Go package can be compared, and one with itself without a finding.
func FuzzCompareGo(f *testing.F) {
	f.Add("type A struct { B string; c int `json:\",inline\"` }\n\nconst (\n\tX A = iota\n\tY\n)", "type A = B\n\ntype B[T any] struct { *A; _ T; D, E map[string]func() }")
	f.Add("type ( A []B; B interface { M() }; AList struct{ Items []A } )", "func (a *A) M() {}\n\nvar _ = struct{}{}")
	f.Fuzz(func(t *testing.T, before, after string) {
		files := func(text string) map[string][]byte {
			return map[string][]byte{"api/v1/types.go": []byte("package v1\n\n" + text)}
		}
		found, _, err := compat.CompareGo("api/v1", files(before), files(after), []rule.Finding{rule.New("field-dropped", rule.Place{File: "api/v1/types.go", Line: 3}, "x", "y")})
		if err == nil {
			checktest.Formatted(t, found, before, after)
		}
		if found, _, err = compat.CompareGo("api/v1", files(before), files(before), nil); err == nil {
			assert.Empty(t, checktest.Lines(found))
		}
	})
}
