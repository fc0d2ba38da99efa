// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// What was added is in the file a second later, without being closed.
func TestFileIsFlushed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.crdctl.gz")
	r := recorder(t, Options{File: path})
	r.Add(&Finding{ID: "a"})
	r.Add(&Finding{ID: "b"})
	r.Add(&Finding{ID: "b", Until: 1})
	require.Eventually(t, func() bool {
		f, err := OpenFile(path)
		if err != nil {
			return false
		}
		defer f.Close() //nolint:errcheck // it is only read
		return f.Index().Counts[KindFinding] == 3 && assert.Equal(t, []string{"a"}, f.Index().Open)
	}, timeout, 10*time.Millisecond)
	require.NoError(t, r.Close())
	require.NoError(t, opened(t, path).CutOff())
}

// A recorder replaces a recording, but nothing else.
func TestFileIsNotOverwritten(t *testing.T) {
	for name, content := range map[string][]byte{"main.go": []byte("package main"), "backup.tar.gz": zipped(t, "files")} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		_, err := New(Options{File: path})
		require.ErrorContains(t, err, path+": exists and is not a recording")
		assert.Equal(t, string(content), safefstest.Read(t, path))
	}

	path := recorded(t, 10)
	r := recorder(t, Options{File: path})
	require.NoError(t, r.Close())
	assert.Len(t, all(t, opened(t, path), 0), 1)
}

// A recording that does not begin leaves the file as it was, and one that is written has no second writer.
func TestFileStaysUntilTheRecordingBegins(t *testing.T) {
	path := recorded(t, 10)
	before := content(t, path)
	r, err := New(Options{File: path})
	require.NoError(t, err)
	r.Add(&Log{Message: "early"})
	_, err = New(Options{File: path})
	require.ErrorContains(t, err, path+": another run writes it; choose another name")
	require.NoError(t, r.Close())
	after := content(t, path)
	assert.Equal(t, before, after)

	r, err = New(Options{File: path})
	require.NoError(t, err)
	r.Add(&Log{Message: "early"})
	require.NoError(t, r.Begin())
	r.Add(&Log{Message: "late"})
	require.NoError(t, r.Close())
	f := opened(t, path)
	require.NoError(t, f.CutOff())
	assert.Equal(t, "header log log", kinds(all(t, f, 0)))

	missing := filepath.Join(t.TempDir(), "new.crdctl.gz")
	r, err = New(Options{File: missing})
	require.NoError(t, err)
	require.NoError(t, r.Close())
	assert.NoFileExists(t, missing)
}

// What comes before a recording begins is kept up to a bound; what is not is a gap.
func TestFileThatBeginsLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.crdctl.gz")
	r, err := New(Options{File: path})
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 16<<10)
	for range 3 * lateBytes / len(noise) {
		for i := range noise {
			noise[i] = byte('!' + random.IntN(90))
		}
		r.Add(&Log{Message: string(noise)})
	}
	waitFor(t, r)
	r.Defs().Object(Object{UID: "u", Name: "x"})
	r.late.mu.Lock()
	assert.Less(t, r.late.held.Len(), lateBytes+(1<<20))
	r.late.mu.Unlock()
	require.NoError(t, r.Begin())
	r.Add(&Log{Message: "late"})
	require.NoError(t, r.Close())

	f := opened(t, path)
	require.NoError(t, f.CutOff())
	gaps, seqs := gaps(all(t, f, 0))
	require.Len(t, gaps, 1)
	assert.False(t, gaps[0].Damaged)
	lost := gaps[0].Dropped[KindLog]
	assert.Positive(t, lost)
	assert.EqualValues(t, 3*lateBytes/len(noise)+3, int64(len(seqs))+lost)
	got := all(t, f, 0)
	assert.Equal(t, "late", got[len(got)-1].Body.(*Log).Message)
	assert.EqualValues(t, 1, f.Index().Counts[KindDef])
}
