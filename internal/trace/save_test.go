// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func sequence(records []Record) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// A cut has what it was made of as it was, also what this version does not know, and of the definitions those it needs.
func TestSave(t *testing.T) {
	var records []Record
	for _, line := range []string{
		`{"seq":1,"t":0,"k":"header","format":9,"start":"2026-11-23T10:00:00Z","run":"r","crdctl":"v9","plane":"own","bodies":"none","mood":"good"}`,
		`{"seq":2,"t":1,"k":"def","actor":{"id":1,"name":"kubectl","class":"kubectl","user":"u"}}`,
		`{"seq":3,"t":1,"k":"def","actor":{"id":2,"name":"other","class":"other","user":"o"}}`,
		`{"seq":4,"t":1,"k":"def","resource":{"id":1,"version":"v1","resource":"pods"}}`,
		`{"seq":5,"t":1,"k":"def","resource":{"id":2,"version":"v1","resource":"secrets"}}`,
		`{"seq":6,"t":1,"k":"def","object":{"id":1,"uid":"u","resource":1,"name":"x"}}`,
		`{"seq":7,"t":1,"k":"def","object":{"id":2,"uid":"v","resource":2,"name":"y"}}`,
		`{"seq":9,"t":5,"k":"event","watch":"w","actor":1,"type":"ADDED","obj":1,"more":true}`,
		`{"seq":10,"t":6,"k":"finding","id":"f","type":"hot-loop","evidence":null}`,
	} {
		r, err := Parse([]byte(line))
		require.NoError(t, err)
		records = append(records, r)
	}
	path := filepath.Join(t.TempDir(), "cut.crdctl.gz")
	index, err := SaveFile(path, "whole.crdctl.gz", sequence(records))
	require.NoError(t, err)
	assert.Equal(t, map[Kind]int64{KindHeader: 1, KindDef: 3, KindEvent: 1, KindFinding: 1}, index.Counts)
	assert.Equal(t, []string{"f"}, index.Open)
	f := opened(t, path)
	require.NoError(t, f.CutOff())
	assert.Equal(t, 9, f.Header().Format)
	assert.Equal(t, "whole.crdctl.gz", f.Header().CutFrom)
	got := all(t, f, 0)
	assert.Contains(t, string(got[0].Raw), `"mood":"good"`)
	assert.Equal(t, []Record{records[1], records[3], records[5], records[7], records[8]}, got[1:])

	again := filepath.Join(t.TempDir(), "again.crdctl.gz")
	_, err = SaveFile(again, "cut.crdctl.gz", f.Records(t.Context(), 0))
	require.NoError(t, err)
	assert.Equal(t, unzippedRecords(t, path), unzippedRecords(t, again), "a cut of a cut names the first recording")

	unknown, err := Parse([]byte(`{"seq":11,"t":7,"k":"telepathy","obj":2}`))
	require.NoError(t, err)
	_, err = SaveFile(path, "x", sequence(append(records, unknown)))
	require.NoError(t, err)
	assert.Len(t, all(t, opened(t, path), 0), len(records)+1, "what is not known may need each definition")

	before := unzippedRecords(t, path)
	reads := 0
	failing := func(yield func(Record, error) bool) {
		if reads++; reads == 1 {
			sequence(records)(yield)
		} else {
			yield(records[0], os.ErrClosed)
		}
	}
	_, err = SaveFile(path, "x", failing)
	require.ErrorIs(t, err, os.ErrClosed)
	assert.Equal(t, 2, reads)
	assert.Equal(t, before, unzippedRecords(t, path), "what cannot be replaced stays")
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, files, 1)
}

// A cut of a recording without an end is incomplete, and so is a cut of that.
func TestSaveOfAnIncompleteRecording(t *testing.T) {
	path := writeRecording(t, zipped(t, headerLine+"\n"+`{"seq":2,"t":5,"k":"log","message":"x"}`+"\n"))
	for i := range 2 {
		cut := filepath.Join(t.TempDir(), "cut.crdctl.gz")
		_, err := SaveFile(cut, "killed.crdctl.gz", opened(t, path).Records(t.Context(), 0))
		require.NoError(t, err)
		f := opened(t, cut)
		require.EqualError(t, f.CutOff(), cut+": cut from an incomplete recording (its run went on, or was killed)", i)
		assert.Equal(t, "killed.crdctl.gz", f.Header().CutFrom)
		path = cut
	}
}

// A recording that replaces another one cannot be read by others, as a new one cannot.
func TestReplacedFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.crdctl.gz")
	for range 2 {
		r, err := New(Options{File: path})
		require.NoError(t, err)
		require.NoError(t, r.Begin())
		require.NoError(t, r.Close())
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		require.NoError(t, os.Chmod(path, 0o644)) // as another program may leave it
	}
}

func unzippedRecords(t *testing.T, path string) (lines []string) {
	t.Helper()
	for _, r := range all(t, opened(t, path), 0) {
		lines = append(lines, string(r.Raw))
	}
	return lines
}

// What a process left that was killed while it saved is replaced; a file of another kind with that name is not.
func TestSaveAfterAKill(t *testing.T) {
	header, err := Parse([]byte(headerLine))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "cut.crdctl.gz")
	for _, left := range []string{"", "\x1f\x8b\x08 cut off"} {
		require.NoError(t, os.WriteFile(path+".tmp", []byte(left), 0o600))
		_, err = SaveFile(path, "whole", sequence([]Record{header}))
		require.NoError(t, err)
		require.NoError(t, opened(t, path).CutOff())
		assert.NoFileExists(t, path+".tmp")
	}
	require.NoError(t, os.WriteFile(path+".tmp", []byte("notes"), 0o600))
	_, err = SaveFile(path, "whole", sequence([]Record{header}))
	require.ErrorIs(t, err, os.ErrExist)
	assert.FileExists(t, path+".tmp")
}

// A file that a run writes is not replaced: what it writes then would be lost.
func TestSaveOntoAFileThatIsWritten(t *testing.T) {
	path := recorded(t, 3)
	r, err := New(Options{File: path})
	require.NoError(t, err)
	require.NoError(t, r.Begin())
	header := Record{Seq: 1, Body: &Header{Format: Format}}
	_, err = SaveFile(path, "whole", sequence([]Record{header}))
	require.ErrorContains(t, err, path+": another run writes it; choose another name")
	assert.NoFileExists(t, path+".tmp")
	require.NoError(t, r.Close())
	_, err = SaveFile(path, "whole", sequence([]Record{header}))
	require.NoError(t, err)
}
