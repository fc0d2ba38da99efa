// SPDX-License-Identifier: Apache-2.0

package crdimport

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const headOfCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: A, plural: as}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: `

// What is made to do harm is refused, briefly and soon.
func TestHostile(t *testing.T) {
	bomb := "a0: &a0 {type: string}\n"
	for i := range 12 {
		bomb += fmt.Sprintf("a%d: &a%d {properties: {", i+1, i+1)
		for j := range 10 {
			bomb += fmt.Sprintf("p%d: *a%d, ", j, i)
		}
		bomb += "}}\n"
	}
	deep := func(levels int) string {
		return headOfCRD + strings.Repeat("{type: array, items: ", levels) + "{type: string}" + strings.Repeat("}", levels) + "\n"
	}
	for name, test := range map[string]struct{ in, want string }{
		"aliases that multiply": {bomb + headOfCRD + "*a12\n", "alias"},
		"an alias of itself":    {headOfCRD + "&a {type: object, properties: {a: *a}}\n", "contains itself"},
		"a deep schema":         {deep(150), "more than 100 levels deep"},
		"a deeper one":          {deep(5000), "because of aliases or depth"},
		"one that is too deep":  {deep(100000), "depth"},
		"deep JSON":             {strings.Repeat(`{"a":`, 100000) + "1" + strings.Repeat("}", 100000), "depth"},
		"a large document":      {headOfCRD + "{type: object, description: '" + strings.Repeat("x", 4<<20) + "'}\n", "the maximum for an object is"},
		"a large file":          {strings.Repeat("---\n", MaxFile/4+1), "use a smaller file"},
		"a key twice":           {headOfCRD + "{type: object, type: string}\n", `"type" already set`},
		"a reference":           {headOfCRD + "{$ref: '#/definitions/a'}\n", "$ref"},
		"a group above":         {strings.NewReplacer("group: example.com", "group: ../../etc", "as.example.com", "as.../../etc").Replace(headOfCRD + "{type: object}\n"), "spec.group: Invalid value"},
		"a kind above":          {strings.Replace(headOfCRD+"{type: object}\n", "kind: A,", "kind: ../A,", 1), "spec.names.kind: Invalid value"},
		"a version above":       {strings.Replace(headOfCRD+"{type: object}\n", "name: v1\n", "name: ../v1\n", 1), "spec.versions[0].name: Invalid value"},
		"a kind of Go":          {strings.NewReplacer("kind: A,", "kind: Type,").Replace(headOfCRD + "{type: object}\n"), `the kind "Type" is a name that Go or the generated code has already`},
		"a kind of register.go": {strings.NewReplacer("kind: A,", "kind: Resource,").Replace(headOfCRD + "{type: object}\n"), `the kind "Resource" is a name`},
		// The API server's own validation panics on this one.
		"selectable fields of no structure": {strings.Replace(headOfCRD, "    served:", "    selectableFields: [{jsonPath: .spec.a}]\n    served:", 1) + "{properties: {a: {type: string}}}\n", "properties[spec].type: Required value"},
		"no YAML":                           {"a: [\n", "crd.yaml:1: invalid YAML: a value is missing"},
		"no object":                         {"- a\n- b\n", "is not a Kubernetes object"},
		"a scalar":                          {"hello\n", "is not a Kubernetes object"},
		"nothing":                           {"", "no CustomResourceDefinition found; name a file that has one"},
		"no text":                           {"\xff\xfe\x00", "crd.yaml:1"},
		"the same twice":                    {headOfCRD + "{type: object}\n---\n" + headOfCRD + "{type: object}\n", "crd.yaml:1 has this CustomResourceDefinition too"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("crd.yaml", []byte(test.in), nil)
			require.ErrorContains(t, err, test.want)
			assert.LessOrEqual(t, len(err.Error()), 2000, "the: %.300s", err)
			assert.NotContains(t, err.Error(), "\n", "the: %.300s", err)
		})
	}
}
