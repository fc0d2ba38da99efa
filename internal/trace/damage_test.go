// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// killed is the content of a file with members of whole lines but no index, as a process leaves that is killed, and its members.
func killed(t *testing.T) ([]byte, []Member) {
	t.Helper()
	path := recorded(t, 4000)
	b := content(t, path)
	f := opened(t, path)
	members := slices.Clone(f.Index().Members)
	require.Greater(t, len(members), 4)
	return b[:len(b)-trailerBytes-1], members // the index is cut off, too
}

func writeRecording(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.crdctl.gz")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

// gaps are the gaps of records, and the seqs of all others.
func gaps(records []Record) (gaps []*Gap, seqs []int64) {
	for _, r := range records {
		if g, ok := r.Body.(*Gap); ok {
			gaps = append(gaps, g)
			continue
		}
		seqs = append(seqs, r.Seq)
	}
	return gaps, seqs
}

// What comes after damage in a file without an index is read, and what is missing is a gap: wherever the damage is.
func TestDamagedFileWithoutIndex(t *testing.T) {
	whole, m := killed(t)
	for name, damage := range map[string]func([]byte) []byte{
		"data":    func(b []byte) []byte { copy(b[m[1].Offset+2000:], "damaged"); return b },
		"magic":   func(b []byte) []byte { b[m[1].Offset] = 'x'; return b },
		"sum":     func(b []byte) []byte { b[m[2].Offset-6] ^= 1; return b },
		"zeros":   func(b []byte) []byte { clear(b[m[1].Offset:m[2].Offset]); return b },
		"missing": func(b []byte) []byte { return slices.Delete(b, int(m[1].Offset)+500, int(m[2].Offset)) },
	} {
		t.Run(name, func(t *testing.T) {
			f := opened(t, writeRecording(t, damage(slices.Clone(whole))))
			gaps, seqs := gaps(all(t, f, 0))
			require.Len(t, gaps, 1)
			assert.True(t, gaps[0].Damaged)
			assert.Equal(t, map[Kind]int64{KindAny: m[1].Records}, gaps[0].Dropped)
			assert.Contains(t, gaps[0].Why, "damaged after byte")
			assert.LessOrEqual(t, gaps[0].From, gaps[0].To)
			require.NotEmpty(t, seqs)
			assert.True(t, slices.IsSorted(seqs))
			assert.EqualValues(t, 8002-m[1].Records, len(seqs), "all others are read")
		})
	}
}

// What damages the records after the header leaves the header, also of a short recording: as a loss of power does, after
// which a file ends with zeros.
func TestDamageAfterTheHeader(t *testing.T) {
	b := content(t, recorded(t, 10))
	end, ok := indexOffset(b[len(b)-trailerBytes:])
	require.True(t, ok)
	flipped := slices.Clone(b)
	flipped[end-6] ^= 1 // of the sum
	var killed bytes.Buffer
	w, err := newFileWriter(nopCloser{&killed})
	require.NoError(t, err)
	addAll(t, w, &Header{Format: Format, Crdctl: "v9", Start: "2026-11-23T10:00:00Z"}, &Log{Message: "x"})
	require.NoError(t, w.flush())
	read := map[string]int{"flipped": 1, "zeros": 2} // what was flushed before the zeros is read
	for name, content := range map[string][]byte{
		"zeros": append(killed.Bytes(), make([]byte, 4096)...), "flipped": flipped,
	} {
		f := opened(t, writeRecording(t, content))
		assert.Equal(t, "v9", f.Header().Crdctl, name)
		gaps, seqs := gaps(all(t, f, 0))
		assert.EqualValues(t, read[name], len(seqs), name)
		require.Len(t, gaps, 1, name)
		assert.True(t, gaps[0].Damaged, name)
	}
}

// Of damage at the end it is not known how much is missing, but that something is.
func TestDamagedEnd(t *testing.T) {
	whole, m := killed(t)
	last := m[2]
	var damaged bytes.Buffer
	z := gzip.NewWriter(&damaged)
	_, err := fmt.Fprintf(z, `{"seq":%d,"t":5,"k":"log","message":"x"}`+"\n", last.Seq)
	require.NoError(t, err)
	require.NoError(t, z.Flush())
	damaged.WriteString("\x07damaged") // a kind of block that does not exist
	f := opened(t, writeRecording(t, slices.Concat(whole[:last.Offset], damaged.Bytes())))
	gaps, seqs := gaps(all(t, f, 0))
	require.Len(t, gaps, 1)
	assert.Equal(t, map[Kind]int64{KindAny: 1}, gaps[0].Dropped)
	assert.GreaterOrEqual(t, seqs[len(seqs)-1], last.Seq-1)
	assert.Less(t, seqs[len(seqs)-1], m[3].Seq-1)
}

// A damaged index loses nothing.
func TestDamagedIndex(t *testing.T) {
	path := recorded(t, 3000)
	b := content(t, path)
	changed := slices.Clone(b)
	changed[len(b)-trailerBytes-6] ^= 1
	for name, content := range map[string][]byte{"changed": changed, "not at the end": append(b, make([]byte, 512)...), "trailer cut off": b[:len(b)-5]} {
		f := opened(t, writeRecording(t, content))
		require.ErrorContains(t, f.CutOff(), ": its index is damaged, or something follows it: 6002 records can be read", name)
		assert.False(t, f.Header().Incomplete, name)
		gaps, seqs := gaps(all(t, f, 0))
		assert.Empty(t, gaps, name)
		assert.Len(t, seqs, 6002, name)
	}
}

const headerLine = `{"seq":1,"t":0,"k":"header","format":1,"start":"2026-11-23T10:00:00Z","run":"r","crdctl":"v9","plane":"own","bodies":"none"}`

// A line that is not a record is a gap, also where all others are records, and also in a file with an index.
func TestLinesThatAreNotRecords(t *testing.T) {
	good := func(seq string) string { return `{"seq":` + seq + `,"t":5,"k":"log","message":"x"}` }
	for name, test := range map[string]struct {
		lines []string
		lost  int64
		seqs  []int64
	}{
		"only one":         {[]string{`{"seq":2,"t":-5,"k":"log","message":"x"}`}, 1, []int64{1}},
		"time too late":    {[]string{`{"seq":2,"t":34560000000000001,"k":"log","message":"x"}`}, 1, []int64{1}},
		"between":          {[]string{good("2"), `{"seq":3,"t":`, "{}", "", good("6")}, 2, []int64{1, 2, 6}},
		"body not JSON":    {[]string{good("2"), `{"seq":3,"t":5,"k":"log",}`, good("4")}, 1, []int64{1, 2, 4}},
		"number too large": {[]string{good("2"), good("9223372036854775807"), good("-1"), good("3")}, 2, []int64{1, 2, 3}},
		"again":            {[]string{good("2"), good("2"), good("3")}, 1, []int64{1, 2, 3}},
		"in another order": {[]string{good("4"), good("3"), good("5")}, 1, []int64{1, 4, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			content := zipped(t, headerLine+"\n"+strings.Join(test.lines, "\n")+"\n")
			f := opened(t, writeRecording(t, content))
			gaps, seqs := gaps(all(t, f, 0))
			require.Len(t, gaps, 1)
			assert.True(t, gaps[0].Damaged)
			assert.Equal(t, map[Kind]int64{KindAny: test.lost}, gaps[0].Dropped)
			assert.Equal(t, test.seqs, seqs)
		})
	}
}

// Members that are missing as a whole are a gap, too: their numbers are, or the index has more than was read.
func TestMissingMembers(t *testing.T) {
	path := recorded(t, 4000)
	whole := content(t, path)
	x := opened(t, path).Index()
	m := x.Members
	end, ok := indexOffset(whole[len(whole)-trailerBytes:])
	require.True(t, ok)
	last := len(m) - 1
	cut := func(from, to int64) []byte { return slices.Delete(slices.Clone(whole), int(from), int(to)) }
	for name, test := range map[string]struct {
		content []byte
		lost    int64
	}{
		"one":                   {cut(m[1].Offset, m[2].Offset), m[1].Records},
		"one, no index":         {cut(m[1].Offset, m[2].Offset)[:end-m[2].Offset+m[1].Offset], m[1].Records},
		"the last":              {cut(m[last].Offset, end), m[last].Records},
		"one and a damaged one": {append(cut(m[1].Offset, m[2].Offset)[:m[1].Offset+300], whole[m[3].Offset:]...), m[1].Records + m[2].Records},
	} {
		t.Run(name, func(t *testing.T) {
			f := opened(t, writeRecording(t, test.content))
			gaps, seqs := gaps(all(t, f, 0))
			require.Len(t, gaps, 1)
			assert.True(t, gaps[0].Damaged)
			assert.Equal(t, map[Kind]int64{KindAny: test.lost}, gaps[0].Dropped)
			assert.LessOrEqual(t, gaps[0].From, gaps[0].To)
			assert.EqualValues(t, 8002-test.lost, len(seqs), "all others are read")
		})
	}
}

// What a recorder did not write has numbers, and a gap that comes after the definitions among it. It is not damage.
func TestNumbersThatWereLeftOut(t *testing.T) {
	read := func(dropped string) ([]*Gap, []int64) {
		var content []byte
		for _, member := range []string{
			headerLine,
			`{"seq":50,"t":4,"k":"def","object":{"id":1,"uid":"u","resource":1,"name":"x"}}`,
			`{"seq":60,"t":5,"k":"gap","from":1,"to":5,"dropped":{"log":` + dropped + `},"why":"` + whyLeft + `"}`,
			`{"seq":61,"t":6,"k":"log","message":"x"}`,
		} {
			content = append(content, zipped(t, member+"\n")...)
		}
		return gaps(all(t, opened(t, writeRecording(t, content)), 0))
	}
	left, seqs := read("58")
	assert.Len(t, left, 1)
	assert.Equal(t, []int64{1, 50, 61}, seqs)
	left, _ = read("50")
	require.Len(t, left, 2)
	assert.True(t, left[0].Damaged)
	assert.Equal(t, map[Kind]int64{KindAny: 7}, left[0].Dropped, "the gap has a number of its own")
}

// A part of a recording has left out numbers, which is not damage. That it lacks members is in its index.
func TestMissingMembersOfACut(t *testing.T) {
	path := cutOf(t, recorded(t, 4000))
	b := content(t, path)
	m := opened(t, path).Index().Members
	require.Greater(t, len(m), 1)
	n := len(all(t, opened(t, path), 0))
	end, ok := indexOffset(b[len(b)-trailerBytes:])
	require.True(t, ok)
	lost, seqs := gaps(all(t, opened(t, writeRecording(t, b[:end])), 0))
	assert.Empty(t, lost)
	assert.Len(t, seqs, n)
	last := m[len(m)-1]
	lost, seqs = gaps(all(t, opened(t, writeRecording(t, slices.Concat(b[:last.Offset], b[end:]))), 0))
	require.Len(t, lost, 1)
	assert.Equal(t, map[Kind]int64{KindAny: last.Records}, lost[0].Dropped)
	assert.Len(t, seqs, n-int(last.Records))
}

// Two recordings in one file number what they define differently.
func TestTwoRecordingsInAFile(t *testing.T) {
	path := recorded(t, 10)
	b := content(t, path)
	started, m := killed(t)
	for name, content := range map[string][]byte{
		"two":              bytes.Repeat(b, 2),
		"the first killed": slices.Concat(started[:m[1].Offset+500], b),
		"the last killed":  slices.Concat(b, zipped(t, headerLine+"\n")[:len(zipped(t, headerLine+"\n"))-4]),
		"header twice":     zipped(t, headerLine+"\n"+headerLine+"\n"),
	} {
		_, err := OpenFile(writeRecording(t, content))
		require.ErrorContains(t, err, "another recording begins", name)
	}
}

// An index that leaves out members of the file is not the index of all.
func TestIndexThatHidesRecords(t *testing.T) {
	path := recorded(t, 4000)
	b := content(t, path)
	x := opened(t, path).Index()
	x.Members = slices.Delete(slices.Clone(x.Members), 1, 2)
	at, ok := indexOffset(b[len(b)-trailerBytes:])
	require.True(t, ok)
	line, err := (&Record{Seq: 9000, Body: &x}).AppendJSON(nil)
	require.NoError(t, err)
	content := slices.Concat(b[:at], zipped(t, string(line)+"\n"), trailer(at))
	gaps, _ := gaps(all(t, opened(t, writeRecording(t, content)), 0))
	require.Len(t, gaps, 1)
	assert.GreaterOrEqual(t, gaps[0].Dropped[KindAny], int64(1))
	assert.Contains(t, gaps[0].Why, "byte")
}

func FuzzOpenFile(f *testing.F) {
	lines := headerLine + "\n" + `{"seq":2,"t":1,"k":"def","actor":{"id":1,"name":"a","class":"controller","user":"u"}}` + "\n"
	var whole bytes.Buffer
	w, err := newFileWriter(nopCloser{&whole})
	require.NoError(f, err)
	for i, b := range []Body{&Header{Format: Format, Start: "2026-11-23T10:00:00Z"}, &Log{Message: "x"}, &Log{Message: "y"}} {
		rec := Record{Seq: int64(i + 1), T: int64(i), Body: b}
		line, err := rec.AppendJSON(nil)
		require.NoError(f, err)
		require.NoError(f, w.add(&rec, line))
		require.NoError(f, w.endMember())
	}
	require.NoError(f, w.close(nil))
	f.Add(whole.Bytes())
	f.Add(whole.Bytes()[:whole.Len()-trailerBytes])
	f.Add(bytes.Repeat(whole.Bytes(), 2))
	f.Add([]byte(lines))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := writeRecording(t, content)
		r, err := OpenFile(path)
		if err != nil {
			require.ErrorContains(t, err, path)
			return
		}
		defer r.Close() //nolint:errcheck // it is only read
		last := int64(0)
		for rec, err := range r.Records(t.Context(), 0) {
			if err != nil {
				return
			}
			switch rec.Body.(type) {
			case *Header, *Def, *Gap:
			default:
				require.Greater(t, rec.Seq, last)
				last = rec.Seq
			}
		}
	})
}

type nopCloser struct{ *bytes.Buffer }

func (nopCloser) Close() error { return nil }

// In a complete member the last line may lack its line break. A part of a line at the end of the file is not read.
func TestLastLine(t *testing.T) {
	f := opened(t, writeRecording(t, zipped(t, headerLine+"\n"+`{"seq":2,"t":5,"k":"log","message":"x"}`)))
	assert.Equal(t, "header log", kinds(all(t, f, 0)))
	f = opened(t, writeRecording(t, append(zipped(t, headerLine), "bye\n"...)))
	assert.Equal(t, "header gap", kinds(all(t, f, 0)))
	f = opened(t, writeRecording(t, append(zipped(t, headerLine), 0x1f)))
	assert.Equal(t, "header", kinds(all(t, f, 0)))
	require.ErrorContains(t, f.CutOff(), "incomplete")
}
