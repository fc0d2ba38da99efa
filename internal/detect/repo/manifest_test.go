// SPDX-License-Identifier: Apache-2.0

package repo

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// People indent and quote otherwise than controller-gen.
func TestNewManifest(t *testing.T) {
	const top, quoted = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n", "kind: \"CustomResourceDefinition\"\n"
	for name, test := range map[string]struct{ text, name, kind string }{
		"controller-gen's": {top + "metadata:\n  annotations: {}\n  name: as.example.com\nspec:\n  names:\n    kind: A\n", "as.example.com", "A"},
		"four spaces":      {top + "metadata:\n    labels:\n        name: label\n    name: as.example.com\nspec:\n    names:\n        kind: A\n", "as.example.com", "A"},
		"with a comment":   {top + "metadata: \r\n  # its group\r\n  name: \"as.example.com\" # plural and group\r\nspec:\r\n  names:\r\n    kind: 'A'\r\n", "as.example.com", "A"},
		"a comment above":  {top + "metadata: # its name\n\n  name: as.example.com\n", "as.example.com", ""},
		"without a kind":   {top + "metadata:\n  name: as.example.com\n", "as.example.com", ""},
		"Fabric8's":        {quoted + "metadata:\n  name: \"as.example.com\"\nspec:\n  names:\n    kind: \"A\"\n", "as.example.com", "A"},
		"a template":       {top + "metadata:\n  name: {{ .Values.name }}\n", "", ""},
		"without a name":   {top + "metadata:\n  labels:\n    name: label\nspec: {}\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, ok := newManifest("crds/a.yaml", []byte(test.text))
			assert.Equal(t, test.name != "", ok)
			assert.Equal(t, [2]string{test.name, test.kind}, [2]string{m.Name, m.Kind})
		})
	}
}
