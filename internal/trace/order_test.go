// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Members that are in another order, or twice, are read as they were written: nothing is lost.
func TestMembersInAnotherOrder(t *testing.T) {
	whole, m := killed(t)
	part := func(i int) []byte { return whole[m[i].Offset:m[i+1].Offset] }
	rest := whole[m[4].Offset:]
	for name, content := range map[string][]byte{
		"swapped":      slices.Concat(part(0), part(2), part(1), part(3), rest),
		"two of three": slices.Concat(part(0), part(3), part(1), part(2), rest),
		"twice":        slices.Concat(part(0), part(1), part(2), part(1), part(3), part(3), rest),
	} {
		f := opened(t, writeRecording(t, content))
		gaps, seqs := gaps(all(t, f, 0))
		assert.Empty(t, gaps, name)
		assert.EqualValues(t, 8002, len(seqs), name)
		assert.True(t, slices.IsSorted(seqs), name)
		require.ErrorContains(t, f.CutOff(), ": 8002 records can be read", name)
	}
}

// The same in a file with its index, which does not have what is where then, and in a part of a recording.
func TestMembersInAnotherOrderThanInTheIndex(t *testing.T) {
	path := recorded(t, 6000)
	for of, path := range map[string]string{"whole": path, "part": cutOf(t, path)} {
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		m := opened(t, path).Index().Members
		n := len(all(t, opened(t, path), 0))
		part := func(i int) []byte { return whole[m[i].Offset:m[i+1].Offset] }
		for name, content := range map[string][]byte{
			"neighbors": slices.Concat(part(0), part(2), part(1), whole[m[3].Offset:]),
			"apart":     slices.Concat(part(0), part(3), part(2), part(1), whole[m[4].Offset:]),
		} {
			t.Run(of+" "+name, func(t *testing.T) {
				f := opened(t, writeRecording(t, content))
				gaps, seqs := gaps(all(t, f, 0))
				assert.Empty(t, gaps)
				assert.Equal(t, n, len(seqs))
				assert.True(t, slices.IsSorted(seqs))
				require.ErrorContains(t, f.CutOff(), fmt.Sprintf(": its parts are in another order than they were written: %d records can be read", n))
				assert.False(t, f.Header().Incomplete)
			})
		}
	}
}

// cutOf is a part of a recording, without every other log line.
func cutOf(t *testing.T, recording string) (path string) {
	t.Helper()
	whole := opened(t, recording)
	path = filepath.Join(t.TempDir(), "cut.crdctl.gz")
	_, err := SaveFile(path, "x", func(yield func(Record, error) bool) {
		for r, err := range whole.Records(t.Context(), 0) {
			require.NoError(t, err)
			if r.Body.Kind() != KindLog || r.Seq%4 != 0 {
				if !yield(r, nil) {
					return
				}
			}
		}
	})
	require.NoError(t, err)
	return path
}

// A finding that was resolved stays so if an older member follows, as it is in the file twice.
func TestFindingsOfMembersInAnotherOrder(t *testing.T) {
	part := func(lines string) []byte { return zipped(t, lines) }
	begin := part(headerLine + "\n")
	open := part(`{"seq":2,"t":1,"k":"finding","id":"x"}` + "\n")
	resolved := part(`{"seq":3,"t":2,"k":"finding","id":"x","until":2}` + "\n")
	f := opened(t, writeRecording(t, slices.Concat(begin, open, resolved, open)))
	assert.Empty(t, f.Index().Open)
	f = opened(t, writeRecording(t, slices.Concat(begin, open)))
	assert.Equal(t, []string{"x"}, f.Index().Open)
}
