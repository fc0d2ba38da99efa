// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorded is the path of a file with n log lines of 1 KiB, each about an object of its own.
func recorded(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.crdctl.gz")
	r := recorder(t, Options{File: path, Header: Header{Crdctl: "v9"}})
	for i := range n {
		if r.Defs().Object(Object{UID: fmt.Sprint(i), Name: "x"}); i%(intakeRecords/4) == 0 {
			waitFor(t, r)
		}
		r.Add(&Log{Message: fmt.Sprintf("%d %s", i, strings.Repeat("x", 1024))})
	}
	r.Add(&Finding{ID: "f"})
	require.NoError(t, r.Close())
	return path
}

func opened(t *testing.T, path string) *File {
	t.Helper()
	f, err := OpenFile(path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	return f
}

// content is what a file has.
func content(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}

// addAll adds records with these bodies, numbered from 1.
func addAll(tb testing.TB, w *fileWriter, bodies ...Body) {
	tb.Helper()
	for i, b := range bodies {
		rec := Record{Seq: int64(i + 1), T: int64(i), Body: b}
		line, err := rec.AppendJSON(nil)
		require.NoError(tb, err)
		require.NoError(tb, w.add(&rec, line))
	}
}

// unzipped is what zcat prints.
func unzipped(t *testing.T, path string) []byte {
	t.Helper()
	b := content(t, path)
	z, err := gzip.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	var all bytes.Buffer
	_, err = all.ReadFrom(z)
	require.NoError(t, err)
	return all.Bytes()
}

func TestFileIsLines(t *testing.T) {
	const n = 5000
	path := recorded(t, n)
	var names []string
	for l := range bytes.Lines(unzipped(t, path)) {
		var line struct{ K string }
		require.NoError(t, json.Unmarshal(l, &line))
		names = append(names, line.K)
	}
	require.Len(t, names, 1+2*n+2)
	assert.Equal(t, "header", names[0])
	assert.Equal(t, "index", names[len(names)-1])

	f := opened(t, path)
	require.NoError(t, f.CutOff())
	assert.Equal(t, "v9", f.Header().Crdctl)
	assert.False(t, f.Live())
	x := f.Index()
	assert.Equal(t, map[Kind]int64{KindHeader: 1, KindDef: n, KindLog: n, KindFinding: 1}, x.Counts)
	assert.Equal(t, []string{"f"}, x.Open)
	assert.Greater(t, len(x.Members), n/1024)
	got := all(t, f, 0)
	require.Len(t, got, 1+2*n+1)
	for i, r := range got {
		require.EqualValues(t, i+1, r.Seq)
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o077, "others cannot read it")
}

// Ranges have the header, what was defined before, and nothing else that is outside.
func TestFileGivesRanges(t *testing.T) {
	const n = 5000
	f := opened(t, recorded(t, n))
	whole := all(t, f, 0)

	middle := whole[len(whole)/2]
	got := all(t, f, middle.Seq)
	defs := 0
	for _, r := range got[1:] {
		if r.Seq <= middle.Seq {
			require.Equal(t, KindDef, r.Body.Kind())
			defs++
		}
	}
	assert.Len(t, got, 1+defs+len(whole)-int(middle.Seq))
	assert.InDelta(t, n/2, defs, 1)
	assert.Len(t, all(t, f, whole[len(whole)-1].Seq), 1+n, "nothing comes after the last")

	var logs []Record
	defined := 0
	from, to := whole[3001].T, whole[4001].T
	for r, err := range f.Between(t.Context(), from, to) {
		require.NoError(t, err)
		switch r.Body.(type) {
		case *Log:
			assert.Equal(t, defined, int(r.Seq)/2, "all definitions came before")
			logs = append(logs, r)
		case *Def:
			defined++
		}
	}
	want := 0
	for _, r := range whole {
		if r.Body.Kind() == KindLog && from <= r.T && r.T <= to {
			want++
		}
	}
	assert.Len(t, logs, want)
	assert.Less(t, want, n)
}

// A file of a process that was killed has what was flushed. At each place where it can end, what is whole can be read.
func TestFileThatWasCutOff(t *testing.T) {
	path := recorded(t, 3000)
	whole := content(t, path)
	members := opened(t, path).Index().Members
	require.Greater(t, len(members), 2)
	cut := filepath.Join(t.TempDir(), "cut.crdctl.gz")
	for _, size := range []int64{
		members[1].Offset,      // between members
		members[1].Offset + 1,  // in the head of one
		members[1].Offset + 12, // behind that
		(members[1].Offset + members[2].Offset) / 2,
		members[2].Offset - 4, // in its sum
		int64(len(whole)) - 1,
	} {
		require.NoError(t, os.WriteFile(cut, whole[:size], 0o600))
		f := opened(t, cut)
		if size == int64(len(whole))-1 {
			require.ErrorContains(t, f.CutOff(), cut+": its index is damaged, or something follows it: ")
		} else {
			require.ErrorContains(t, f.CutOff(), cut+": incomplete (the run goes on, or was killed): ")
		}
		got := all(t, f, 0)
		for i, r := range got {
			require.EqualValues(t, i+1, r.Seq)
		}
		last := got[len(got)-1].Seq
		switch {
		case size >= members[2].Offset-4:
			assert.GreaterOrEqual(t, last, members[2].Seq-1)
		case size > members[1].Offset+1000:
			assert.Greater(t, last, members[1].Seq, "lines of the member that is not whole")
			assert.Less(t, last, members[2].Seq)
		default:
			assert.Equal(t, members[1].Seq-1, last)
		}
		var counted int64
		for _, n := range f.Index().Counts {
			counted += n
		}
		assert.EqualValues(t, len(got), counted)
	}
}

// A file with an index that was damaged in the middle has a gap there.
func TestDamagedFile(t *testing.T) {
	path := recorded(t, 3000)
	b := content(t, path)
	m := opened(t, path).Index().Members
	for i := m[1].Offset + 2000; i < m[1].Offset+2100; i++ {
		b[i] ^= 0x55
	}
	require.NoError(t, os.WriteFile(path, b, 0o600))
	f := opened(t, path)
	require.NoError(t, f.CutOff())
	got := all(t, f, 0)
	gaps := 0
	seq := int64(0)
	for _, r := range got {
		if gap, ok := r.Body.(*Gap); ok {
			gaps++
			assert.Equal(t, m[2].Seq-1, r.Seq)
			assert.Equal(t, map[Kind]int64{KindAny: m[1].Records}, gap.Dropped)
			assert.Equal(t, m[1].Seq-1, seq)
			assert.Contains(t, gap.Why, fmt.Sprintf("the file is damaged after byte %d", m[1].Offset))
			seq = r.Seq
			continue
		}
		seq++
		require.Equal(t, seq, r.Seq)
	}
	assert.Equal(t, 1, gaps)
	assert.EqualValues(t, 6002, seq)
}

func zipped(t *testing.T, lines string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(lines))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestFilesThatAreNoRecordings(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.gz")
	whole := zipped(t, headerLine+"\n")
	for want, content := range map[string][]byte{
		": empty, not a recording":             {},
		": not a recording of crdctl; ":        []byte("apiVersion: v1\n"),
		": not a recording of crdctl":          {'x'},
		": not a recording of crdctl; \"crdct": zipped(t, "{\"k\":\"request\",\"id\":\"a\"}\n"),
		": not a recording of crd":             zipped(t, "hello\n"),
		": not a recording of ":                zipped(t, ""),
		": header cannot be read: json":        zipped(t, "{\"seq\":1,\"t\":0,\"k\":\"header\",\"format\":\"x\"}\n"),
		"cut off at byte 20, before the end o": whole[:20],
		"cut off at byte 2, before the end of": whole[:2],
	} {
		require.NoError(t, os.WriteFile(path, content, 0o600))
		_, err := OpenFile(path)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, path)
	}
	_, err := OpenFile(dir)
	require.ErrorContains(t, err, dir+": a directory, not a recording")
	_, err = OpenFile(filepath.Join(dir, "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)

	require.NoError(t, os.WriteFile(path, whole, 0o600))
	f := opened(t, path)
	assert.Equal(t, "v9", f.Header().Crdctl)
	assert.ErrorContains(t, f.CutOff(), "incomplete (the run goes on, or was killed): 1 record up to 10:00:00 can be read")

	require.NoError(t, os.WriteFile(path, append(whole, zipped(t, "no record\n")...), 0o600))
	f = opened(t, path)
	got := all(t, f, 0)
	require.Len(t, got, 2)
	assert.Contains(t, got[1].Body.(*Gap).Why, fmt.Sprintf("after byte %d: decode a record", len(whole)))
}

// A recording of an earlier version is read as it was. The file is of the first format, and is not made anew.
func TestOldFile(t *testing.T) {
	f := opened(t, "testdata/format1.crdctl.gz")
	require.NoError(t, f.CutOff())
	h := f.Header()
	assert.Equal(t, "v0.9.0", h.Crdctl)
	assert.Equal(t, "2026-11-23T10:00:00.5+01:00", h.Start)
	assert.Equal(t, BodiesAll, h.Bodies)
	got := all(t, f, 0)
	assert.Equal(t, "header def def def request version watch event queue reconcile decision hook admission log kubeEvent metrics save rights gap finding", kinds(got))
	for _, r := range got {
		_, unknown := r.Body.(*Unknown)
		assert.False(t, unknown, "%s", r.Raw)
	}
	object := got[3].Body.(*Def).Object
	assert.Equal(t, &Object{ID: 1, UID: "u-1", Resource: 1, Namespace: "default", Name: "x"}, object)
	version := got[5].Body.(*Version)
	assert.Equal(t, []Change{{Path: "spec.a", New: json.RawMessage(`"File"`)}}, version.Changes)
	assert.Equal(t, object.ID, version.Object)
	assert.EqualValues(t, 7, version.RV)
	cause := got[9].Body.(*Reconcile).Causes[0]
	assert.Equal(t, Certain, cause.Certainty)
	assert.Equal(t, map[Kind]int64{KindEvent: 3}, got[18].Body.(*Gap).Dropped)
	assert.Equal(t, []string{"f"}, f.Index().Open)
	assert.Equal(t, []int64{5, 6}, got[19].Body.(*Finding).Evidence)
}

// What no recorder writes is not decoded: it would take much memory.
func TestHugeRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.crdctl.gz")
	w, late, err := createFile(path)
	require.NoError(t, err)
	require.NoError(t, late.begin())
	addAll(t, w, &Header{Format: Format}, &Log{Message: strings.Repeat("x", maxLine)}, &Log{Message: "short"}, &Log{Message: strings.Repeat("x", maxMember)})
	require.NoError(t, w.close(nil))
	got := all(t, opened(t, path), 0)
	require.Len(t, got, 4)
	assert.ErrorContains(t, got[1].Body.(*Unknown).Err, "a record of 16777")
	assert.Equal(t, "short", got[2].Body.(*Log).Message)
	assert.Contains(t, got[3].Body.(*Gap).Why, "more than 33554432 bytes")
}
