// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The line of an error is that of the fault, or for what is not closed the one where that is noticed.
func TestLinesOfErrors(t *testing.T) {
	const begin = "kind: ConfigMap\nmetadata:\n  name: shop-cm\n"
	for text, line := range map[string]int{
		begin + "data: [":                      4,
		begin + "data: [\n":                    4,
		begin + "data: [\n\n":                  4,
		begin + "data: [\nmore: 1\n":           5,
		begin + "data: [a,\n  b\nmore: 1\n":    6,
		begin + "data: {a: 1\nmore: 1\n":       5,
		begin + "data: {a: [1}\nmore: 1\n":     4,
		begin + "data: ]\nmore: 1\n":           4,
		begin + "data:\n  - a\n  b: 1\n":       6,
		begin + "data:\n  a: 1\n b: 1\n":       6,
		begin + "data: \"a\nmore: 1\n":         5,
		begin + "data: a: b\nmore: 1\n":        4,
		begin + "data: @a\nmore: 1\n":          4,
		begin + "data: !x!y a\nmore: 1\n":      4,
		begin + "data: *none\nmore: 1\n":       4,
		begin + "kind: again\n":                4,
		begin + "\tdata: 1\n":                  4,
		"[":                                    1,
		"a: [":                                 1,
		"# c\n---\n" + begin + "data: [\nx: 1": 7,
	} {
		_, err := call(open(t, "a.yaml", text))
		assert.ErrorContains(t, err, fmt.Sprintf("a.yaml: line %d of ", line), text)
	}
}
