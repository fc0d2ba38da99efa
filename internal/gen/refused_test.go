// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"testing"

	"github.com/stretchr/testify/assert"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// A CRD that is refused in many places has a line for the first of them, and one without a group has a single line.
func TestRefusals(t *testing.T) {
	definition := &apiextv1.CustomResourceDefinition{}
	none := (&generation{}).refusals("crds/_.yaml", definition)
	assert.Len(t, none, 1, "lines")
	assert.Contains(t, none[0], "crds/_.yaml: the API server refuses this CRD, which has no group", "line")

	definition.Name = "apples.example.com"
	lines := (&generation{}).refusals("crds/a.yaml", definition)
	assert.Len(t, lines, shownRefusals+1, "lines")
	assert.Contains(t, lines[0], "crds/a.yaml: the API server refuses CRD apples.example.com: ", "first line")
	assert.Regexp(t, `^CRD apples\.example\.com is refused in \d+ more places$`, lines[shownRefusals], "last line")
}
