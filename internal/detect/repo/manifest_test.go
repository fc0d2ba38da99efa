// SPDX-License-Identifier: Apache-2.0

package repo

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// People indent and quote otherwise than controller-gen.
func TestNewManifest(t *testing.T) {
	const top = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
	for name, test := range map[string]struct{ text, name, kind string }{
		"controller-gen's": {"metadata:\n  annotations: {}\n  name: as.example.com\nspec:\n  names:\n    kind: A\n", "as.example.com", "A"},
		"four spaces":      {"metadata:\n    labels:\n        name: label\n    name: as.example.com\nspec:\n    names:\n        kind: A\n", "as.example.com", "A"},
		"with a comment":   {"metadata: \r\n  # its group\r\n  name: \"as.example.com\" # plural and group\r\nspec:\r\n  names:\r\n    kind: 'A'\r\n", "as.example.com", "A"},
		"without a kind":   {"metadata:\n  name: as.example.com\n", "as.example.com", ""},
		"a template":       {"metadata:\n  name: {{ .Values.name }}\n", "", ""},
		"without a name":   {"metadata:\n  labels:\n    name: label\nspec: {}\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, ok := newManifest("crds/a.yaml", []byte(top+test.text))
			assert.Equal(t, test.name != "", ok)
			assert.Equal(t, [2]string{test.name, test.kind}, [2]string{m.Name, m.Kind})
		})
	}
}
