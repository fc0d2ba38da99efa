// SPDX-License-Identifier: Apache-2.0

package yamlpath_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/crdctl/crdctl/internal/text/yamlpath"
)

// The place of the X in a value is that of the X in its source, however the value is written.
func TestPosition(t *testing.T) {
	for name, src := range map[string]string{
		"plain":          "é: {rule: self.a == X}",
		"plain, folded":  "rule: self.a ==\n  self.b +\n  X",
		"single quotes":  "rule: 'self.a == ''é'' + X'",
		"double quotes":  "rule: \"self.a == \\\"b\\\" + '\\\\' +\\n X\"",
		"double, folded": "rule: \"self.a ==\n   b + \\\n   c\\n + X\"",
		"a literal":      "# first\na:\n- rule: |-\n    self.a ==\n      self.b\n\n    && X\n",
		"a folded block": "rule: >-\n  self.a ==\n  X\n",
		"JSON":           "{\n \"rule\": \"self.a == \\\"b\\\" + X\"\n}",
		"the first":      "rule: X",
	} {
		t.Run(name, func(t *testing.T) {
			var doc yaml.Node
			require.NoError(t, yaml.Unmarshal([]byte(src), &doc))
			node := &doc
			for len(node.Content) > 0 {
				node = node.Content[len(node.Content)-1]
			}
			line, column, ok := yamlpath.Position([]byte(src), node, strings.Index(node.Value, "X"))
			require.True(t, ok, node.Value)
			before, _, _ := strings.Cut(src, "X")
			assert.Equal(t, 1+strings.Count(before, "\n"), line)
			assert.Equal(t, 1+len([]rune(before[strings.LastIndex(before, "\n")+1:])), column)
		})
	}
	for name, src := range map[string]string{"an escape": `"\x41 X"`, "an empty line": "'a\n\n X'", "a tag": "!!str 'a X'", "an alias": "*a"} {
		node := &yaml.Node{Kind: yaml.ScalarNode, Line: 1, Column: 1, Value: "a X"}
		if name != "an alias" {
			var doc yaml.Node
			require.NoError(t, yaml.Unmarshal([]byte(src), &doc))
			node = doc.Content[0]
		}
		_, _, ok := yamlpath.Position([]byte(src), node, 2)
		assert.False(t, ok, name)
	}
}
