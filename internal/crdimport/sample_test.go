// SPDX-License-Identifier: Apache-2.0

package crdimport

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sampled = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {plural: things, kind: Thing}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [schedule, port, ports, when, phase, long, amount, enabled]
            properties:
              schedule: {type: string, pattern: '^([0-9]+|\*)( ([0-9]+|\*)){4}$'}
              port: {type: integer, minimum: 1024, exclusiveMinimum: true}
              ports: {type: array, minItems: 2, items: {type: object, required: [name], properties: {name: {type: string, maxLength: 3}}}}
              when: {type: string, format: date-time}
              phase: {type: string, enum: [Pending, Ready]}
              long: {type: string, minLength: 12}
              amount: {x-kubernetes-int-or-string: true}
              enabled: {type: boolean}
              other: {type: string}
              impossible: {type: string}
`

// A sample has what is required, as the rules have it, and the schema takes it.
func TestSample(t *testing.T) {
	all, err := Read("things.yaml", []byte(sampled), nil)
	require.NoError(t, err)
	text, valid := all[0].Sample("v1", "thing-demo")
	assert.True(t, valid, "refused:\n%s", text)
	for _, want := range []string{"apiVersion: example.com/v1\n", "kind: Thing\n", "name: thing-demo\n", "namespace: default\n", "phase: Pending\n", "port: 1025\n"} {
		assert.Contains(t, string(text), want)
	}
	assert.NotContains(t, string(text), "other", "an optional field is in the sample")
	// A rule that no guess gets right is told of.
	hard := strings.Replace(sampled, "enabled, other]", "enabled]", 1)
	hard = strings.Replace(strings.Replace(hard, "amount, enabled]", "amount, enabled, impossible]", 1), "impossible: {type: string}", "impossible: {type: string, pattern: '^a$', minLength: 2}", 1)
	all, err = Read("things.yaml", []byte(hard), nil)
	require.NoError(t, err)
	text, valid = all[0].Sample("v1", "thing-demo")
	assert.False(t, valid, "valid, though nothing can be:\n%s", text)
}
