// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// A finding counts the further fields that have the same cause, a type of another module or a marker.
func TestMergedCounts(t *testing.T) {
	merged := func(foreign, says string, fields ...string) string {
		var all findings
		for _, field := range fields {
			f := rule.New("bound-tightened", rule.Place{}, field, "%s: fewer", field)
			all.list = append(all.list, entry{Finding: f, foreign: foreign, says: says, field: field})
		}
		got := all.merged()
		require.Len(t, got, 1)
		return got[0].Message
	}
	assert.Equal(t, "a: fewer", merged("core.Pod", "", "a"))
	assert.Equal(t, "a: fewer (and 1 more field of the type core.Pod)", merged("core.Pod", "", "a", "b"))
	assert.Equal(t, "a: fewer (and 2 more fields of the type core.Pod)", merged("core.Pod", "", "a", "b", "c"))
	assert.Equal(t, "a: fewer", merged("", "fewer", "a"))
	assert.Equal(t, "a: fewer (and 1 more field with the marker)", merged("", "fewer", "a", "b"))
	assert.Equal(t, "a: fewer (and 2 more fields with the marker)", merged("", "fewer", "a", "b", "c"))
}
