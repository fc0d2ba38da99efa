// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReadUpTo(t *testing.T) {
	for _, c := range []struct {
		length, limit, want int
		err                 error
	}{
		{0, 0, 0, nil},
		{1, 0, 0, errTooLarge},
		{4096, 4096, 4096, nil},
		{4097, 4096, 4096, errTooLarge},
	} {
		got, err := readUpTo(strings.NewReader(strings.Repeat("x", c.length)), int64(c.limit))
		assert.ErrorIs(t, err, c.err, "%d bytes, limit %d", c.length, c.limit)
		assert.Len(t, got, c.want, "%d bytes, limit %d", c.length, c.limit)
	}
}
