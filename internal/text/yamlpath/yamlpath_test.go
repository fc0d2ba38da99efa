// SPDX-License-Identifier: Apache-2.0

package yamlpath_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/crdctl/crdctl/internal/text/yamlpath"
)

func TestFollow(t *testing.T) {
	var doc yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte("a: 1\nb:\n  c.d: {e: 1}\n  c: 2\n  list:\n  - x: 1\n  - x: 2\n    y: 3\n"), &doc))
	for path, want := range map[string]string{
		"":              "1:1",
		"a":             "1:1",
		".b.c":          "4:3",
		"b.c.d.e":       "3:9",
		"b.c.d.nope":    "3:3",
		"b.list[1].y":   "8:5",
		"b.list[7].y":   "5:3",
		`b["c.d"].e`:    "3:9",
		"nope.deeper":   "1:1",
		"a.b.list[":     "1:1",
		"b.list[1].x.z": "7:5",
	} {
		node := yamlpath.Follow(doc.Content[0], path)
		assert.Equal(t, want, fmt.Sprintf("%d:%d", node.Line, node.Column), path)
	}
	value, key := yamlpath.Child(nil, "a")
	assert.True(t, value == nil && key == nil)
}
