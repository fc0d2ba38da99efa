// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A reader that follows gets the bodies that were added, and one that comes late reads the same from their lines. Of a line that was
// redacted, no reader gets the body.
func TestReadersShareBodies(t *testing.T) {
	const records = 4 * chunkBytes / 400
	r := recorder(t, Options{Redact: func(line []byte) []byte { return bytes.ReplaceAll(line, []byte("hunter2"), []byte("*******")) }})
	added := make([]*Log, records)
	for i := range added {
		added[i] = &Log{Message: fmt.Sprintf("%d %s", i, strings.Repeat("x", 400))}
		if i == records-1 {
			added[i].Message = "the password is hunter2"
		}
		r.Add(added[i])
	}
	require.NoError(t, r.Close())
	shared := 0
	got := all(t, r, 0)[1:] // without the header
	require.Equal(t, records, len(got))
	for i, rec := range got[:records-1] {
		assert.Equal(t, added[i], rec.Body)
		parsed, err := Parse(rec.Raw)
		require.NoError(t, err)
		assert.Equal(t, parsed, rec)
		if rec.Body == Body(added[i]) {
			shared++
		}
	}
	assert.Greater(t, shared, 0)
	assert.Less(t, shared, records/2+1)
	assert.Equal(t, "the password is *******", got[records-1].Body.(*Log).Message)
}
