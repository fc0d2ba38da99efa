// SPDX-License-Identifier: Apache-2.0

package lazyregexp

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Outside of tests an expression is compiled by its first use, and in tests at once.
func TestNew(t *testing.T) {
	assert.Panics(t, func() { New(`(`) })
	defer func(was bool) { inTest = was }(inTest)
	inTest = false
	wrong := New(`(`)
	assert.Panics(t, func() { wrong.MatchString("") })
	r := New(`a(b+)`)
	assert.Equal(t, []string{"abb", "bb"}, r.FindStringSubmatch("xabbx"))
}
