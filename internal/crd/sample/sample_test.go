// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// A guess is the same every time, and the schema takes it.
func TestOf(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type": "integer", "minimum": 1000, "multipleOf": 512}`:                                                  `1024`,
		`{"type": "integer", "minimum": 3, "exclusiveMinimum": true}`:                                              `4`,
		`{"type": "string", "pattern": "^[a-z]{3}-[0-9]+$"}`:                                                       `"aaa-1"`,
		`{"type": "string", "format": "ipv4"}`:                                                                     `"192.0.2.1"`,
		`{"type": "array", "minItems": 2, "x-kubernetes-list-type": "set", "items": {"type": "string"}}`:           `["example","example-2"]`,
		`{"type": "array", "minItems": 2, "items": {"type": "string", "enum": ["a", "b"]}}`:                        `["a","b"]`,
		`{"type": "object", "required": ["a"], "properties": {"a": {"type": "boolean"}, "b": {"type": "string"}}}`: `{"a":true,"b":"example"}`,
		`{"type": "object", "minProperties": 2, "additionalProperties": {"type": "integer", "default": 7}}`:        `{"example":7,"example-2":7}`,
	} {
		s := &apiextv1.JSONSchemaProps{}
		require.NoError(t, json.Unmarshal([]byte(schema), s))
		v := Of(s, true)
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v, want %s", schema, got, err, want)
		}
		assert.NoError(t, Validate(s, nil, v), schema)
	}
}
