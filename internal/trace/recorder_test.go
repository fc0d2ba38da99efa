// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func recorder(t *testing.T, o Options) *Recorder {
	t.Helper()
	r, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	require.NoError(t, r.Begin())
	return r
}

// all reads a source that ends.
func all(t *testing.T, s Source, after int64) (got []Record) {
	t.Helper()
	for r, err := range s.Records(t.Context(), after) {
		require.NoError(t, err)
		got = append(got, r)
	}
	return got
}

func kinds(records []Record) string {
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "%s ", r.Body.Kind())
	}
	return strings.TrimSpace(b.String())
}

func TestRecorderGivesWhatWasAdded(t *testing.T) {
	r := recorder(t, Options{Header: Header{Project: "example.com/x"}})
	actor := r.Defs().Actor(Actor{Name: "kubectl"})
	r.Add(&Request{ID: "a", Actor: actor, Verb: "get"})
	object := r.Defs().Object(Object{UID: "u", Name: "x"})
	r.AddAt(r.Now()-5, &Version{Object: object, RV: 7})
	r.AddAt(math.MaxInt64, &Save{}) // is now
	r.AddAt(-1, &Save{})
	assert.True(t, r.Live())
	require.NoError(t, r.Close())
	r.Add(&Log{Message: "too late"})
	assert.False(t, r.Live())

	got := all(t, r, 0)
	require.Equal(t, "header def request def version save save", kinds(got))
	header := got[0].Body.(*Header)
	assert.Equal(t, Format, header.Format)
	assert.NotEmpty(t, header.Run)
	assert.Equal(t, "example.com/x", header.Project)
	for i, rec := range got {
		assert.EqualValues(t, i+1, rec.Seq)
		assert.True(t, rec.T >= 0 && rec.T <= r.Now(), "%d", rec.T)
	}
	assert.Equal(t, &Version{Object: 1, RV: 7}, got[4].Body)
	assert.Equal(t, "header def def version save save", kinds(all(t, r, got[2].Seq)), "a reader that comes back gets all definitions")
}

// A reader that was there before the records gets each once, in order, while they are made.
func TestReaderFollows(t *testing.T) {
	r := recorder(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []Record
	next := int64(0)
	r.Add(&Save{Build: 0})
	for rec, err := range r.Records(ctx, 0) {
		require.NoError(t, err)
		if _, ok := rec.Body.(*Header); ok {
			continue
		}
		got = append(got, rec)
		if next++; next == 10 {
			cancel()
			continue
		}
		r.Add(&Save{Build: int(next)})
	}
	require.Len(t, got, 10)
	for i, rec := range got {
		assert.Equal(t, i, rec.Body.(*Save).Build)
	}
}

// Records that come one by one are kept, and handed to readers, many at a time; the first after a pause is at once.
func TestRecordsAreGathered(t *testing.T) {
	r := recorder(t, Options{})
	began, batches, last := time.Now(), 0, (<-chan struct{})(nil)
	for range 100 {
		r.Add(&Save{})
		time.Sleep(time.Millisecond)
		if _, more, _ := r.ring.next(1 << 60); more != last {
			batches, last = batches+1, more
		}
	}
	assert.LessOrEqual(t, batches, int(time.Since(began)/gatherFor)+2)
}

// Memory is bounded: the oldest records go, and readers that come too late get a gap of exactly these. What is needed to
// read the others stays, and so does what an open finding rests on.
// What went before a reader came is not lost to it, but what goes while it reads is.
func TestReaderThatComesLateHasNoGap(t *testing.T) {
	r := recorder(t, Options{MaxBytes: 1 << 16})
	for i := range 5000 {
		if i%1000 == 0 {
			r.Defs().Actor(Actor{Name: fmt.Sprintf("%d", i)}) // definitions stay
		}
		r.Add(&Log{Actor: ActorID(i/1000 + 1), Message: strings.Repeat("x", 100)})
		if i%500 == 0 {
			waitFor(t, r)
		}
	}
	require.NoError(t, r.Close())
	got := all(t, r, 0)
	assert.NotContains(t, kinds(got), "gap")
	assert.Less(t, len(got), 5000)
	assert.Contains(t, kinds(all(t, r, 10)), "gap")
}

func TestRecorderForgetsTheOldest(t *testing.T) {
	const limit = 1 << 20
	r := recorder(t, Options{MaxBytes: limit})
	r.Defs().Actor(Actor{Name: "early"})
	r.Add(&Log{Message: "evidence"}) // 3
	r.Add(&Log{Message: "other evidence"})
	r.Add(&Finding{ID: "f", Evidence: []int64{3}})
	r.Add(&Finding{ID: "g", Evidence: []int64{4}})
	r.Add(&Finding{ID: "g", Evidence: []int64{4}, Until: 1})
	const n = 400_000
	for i := range n {
		r.Add(&Log{Message: fmt.Sprintf("line %d %s", i, strings.Repeat("x", 40))})
		if i%intakeRecords == intakeRecords/2 {
			waitFor(t, r)
		}
	}
	require.NoError(t, r.Close())
	assert.LessOrEqual(t, r.ring.bytes, int64(limit+2*chunkBytes))

	got := all(t, r, 0)
	require.Equal(t, "header def log gap finding gap log", kinds(got[:7]))
	assert.Equal(t, "evidence", got[2].Body.(*Log).Message)
	assert.Equal(t, map[Kind]int64{KindAny: 1}, got[3].Body.(*Gap).Dropped)
	held := int64(len(got) - 6)
	assert.Equal(t, map[Kind]int64{KindAny: n + 2 - held}, got[5].Body.(*Gap).Dropped)
	assert.Equal(t, got[6].Seq-1, got[5].Seq)
	var bytes int
	for _, rec := range got[6:] {
		bytes += len(rec.Raw)
	}
	assert.Greater(t, bytes, 4*limit, "what is old is compressed")
}

// waitFor waits until the recorder has kept all that was added.
func waitFor(t testing.TB, r *Recorder) {
	t.Helper()
	r.mu.Lock()
	seq := r.seq
	r.mu.Unlock()
	for {
		lines, more, _ := r.ring.next(seq - 1)
		if len(lines) > 0 {
			return
		}
		<-more
	}
}

// Objects that no record in memory is about are forgotten, and defined anew when they come back. What is there can always
// be read.
func TestRecorderForgetsObjects(t *testing.T) {
	r := recorder(t, Options{MaxBytes: 1 << 18})
	evidence := r.Defs().Object(Object{UID: "evidence"})
	r.Add(&Event{Object: evidence}) // 3
	r.Add(&Finding{ID: "f", Evidence: []int64{3}})
	first := r.Defs().Object(Object{UID: "first"})
	r.Add(&Event{Object: first})
	lasting := r.Defs().Object(Object{UID: "lasting"})
	const n = 200_000
	for i := range n {
		r.Add(&Event{Object: r.Defs().Object(Object{UID: fmt.Sprint(i), Name: "x"})})
		if i%1000 == 0 {
			r.Add(&Event{Object: lasting}) // whose number was not asked for again
		}
		if i%5000 == 0 {
			waitFor(t, r)
		}
	}
	assert.Zero(t, r.Defs().Lookup("first"))
	assert.Equal(t, lasting, r.Defs().Lookup("lasting"))
	assert.Equal(t, evidence, r.Defs().Lookup("evidence"))
	again := r.Defs().Object(Object{UID: "first"})
	assert.Greater(t, again, first, "numbers are not given twice")
	r.Add(&Event{Object: again})
	require.NoError(t, r.Close())
	assert.Less(t, len(r.ring.defs), n/4)
	defined := map[ObjectID]bool{}
	events := 0
	for _, rec := range all(t, r, 0) {
		switch b := rec.Body.(type) {
		case *Def:
			defined[b.Object.ID] = true
		case *Event:
			require.True(t, defined[b.Object], "%d", b.Object)
			events++
		}
	}
	assert.Greater(t, events, 1000)
}

// blockedRecorder returns a recorder that stores nothing until the channel is closed.
func blockedRecorder(t *testing.T) (r *Recorder, blocked chan struct{}) {
	t.Helper()
	started := make(chan struct{})
	blocked = make(chan struct{})
	r = recorder(t, Options{Redact: func(line []byte) []byte {
		if bytes.Contains(line, []byte(`"k":"save"`)) {
			close(started)
			<-blocked
		}
		return line
	}})
	r.Add(&Save{})
	<-started
	return r, blocked
}

// Records that are long are dropped sooner.
func TestRecorderDropsWhatIsTooLong(t *testing.T) {
	r, blocked := blockedRecorder(t)
	long := json.RawMessage(`"` + strings.Repeat("x", intakeBytes/10) + `"`)
	for range 20 {
		r.Add(&Version{Full: long})
	}
	r.Add(&Log{})
	close(blocked)
	waitFor(t, r)
	require.NoError(t, r.Close())
	for _, rec := range all(t, r, 0) {
		if gap, ok := rec.Body.(*Gap); ok && gap.Dropped[KindVersion] > 0 {
			assert.EqualValues(t, 11, gap.Dropped[KindVersion])
			return
		}
	}
	t.Error("nothing was dropped")
}

// Add never waits: what is too much is counted, but a definition is never lost.
func TestRecorderDropsWhatIsTooMuch(t *testing.T) {
	r, blocked := blockedRecorder(t)
	for range intakeRecords + 5 {
		r.Add(&Log{})
	}
	r.Add(&Event{})
	r.Defs().Actor(Actor{Name: "late"})
	close(blocked)
	waitFor(t, r)
	r.Add(&KubeEvent{})
	require.NoError(t, r.Close())
	got := all(t, r, 0)
	require.Equal(t, "header save", kinds(got[:2]))
	require.Equal(t, "log def gap kubeEvent", kinds(got[len(got)-4:]))
	require.Len(t, got, 2+intakeRecords+3)
	gap := got[len(got)-2].Body.(*Gap)
	assert.Equal(t, map[Kind]int64{KindLog: 5, KindEvent: 1}, gap.Dropped)
	assert.LessOrEqual(t, gap.From, gap.To)
}

func TestRecorderRedacts(t *testing.T) {
	r := recorder(t, Options{Redact: func(line []byte) []byte { return bytes.ReplaceAll(line, []byte("secret"), []byte("***")) }})
	r.Add(&Log{Message: "a secret"})
	require.NoError(t, r.Close())
	assert.Equal(t, "a ***", all(t, r, 0)[1].Body.(*Log).Message)
}

// A record that cannot be encoded is a gap, and the recording goes on.
func TestRecordThatCannotBeEncoded(t *testing.T) {
	r := recorder(t, Options{})
	r.Add(&Metrics{Samples: map[string]float64{"x": math.NaN()}})
	r.Add(&Log{})
	require.NoError(t, r.Close())
	got := all(t, r, 0)
	require.Equal(t, "header gap log", kinds(got))
	assert.Equal(t, map[Kind]int64{KindMetrics: 1}, got[1].Body.(*Gap).Dropped)
}

// Many add and read at the same time; with -race this holds that they may.
func TestRecorderIsSafe(t *testing.T) {
	r := recorder(t, Options{MaxBytes: 1 << 18})
	const writers, each = 4, 2000
	readers := make(chan []int64, 2)
	for range 2 {
		go func() {
			var seqs []int64
			for rec, err := range r.Records(context.Background(), 0) {
				if err == nil {
					seqs = append(seqs, rec.Seq)
				}
			}
			readers <- seqs
		}()
	}
	written := make(chan struct{})
	for w := range writers {
		go func() {
			defer func() { written <- struct{}{} }()
			for i := range each {
				id := r.Defs().Object(Object{UID: fmt.Sprint(i % 100), Name: fmt.Sprint(w)})
				r.Add(&Event{Object: id})
			}
		}()
	}
	for range writers {
		<-written
	}
	require.NoError(t, r.Close())
	for range 2 {
		seqs := <-readers
		assert.True(t, slices.IsSorted(seqs))
		assert.Len(t, slices.Compact(seqs), len(seqs))
		assert.EqualValues(t, r.seq, seqs[len(seqs)-1])
	}
}

const timeout = time.Minute // of what must happen

// An error of the file is reported when it comes, and once.
func TestFailedFile(t *testing.T) {
	failed := make(chan error, 10)
	r, err := New(Options{File: filepath.Join(t.TempDir(), "x.crdctl.gz"), Failed: func(err error) { failed <- err }})
	require.NoError(t, err)
	require.NoError(t, r.Begin())
	require.NoError(t, r.file.file.Close()) // as a disk that is full
	for range 3 {
		var b strings.Builder
		for b.Len() < memberBytes {
			b.WriteString(rand.Text())
		}
		r.Add(&Log{Message: b.String()})
	}
	require.ErrorIs(t, <-failed, os.ErrClosed)
	require.ErrorIs(t, r.Close(), os.ErrClosed)
	assert.Empty(t, failed)
}

// A burst that begins while records are gathered is encoded before there is no room for the rest of it.
func TestBurstIsNotGathered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := recorder(t, Options{})
		add := func(n int) {
			for range n {
				r.Add(&Save{})
			}
			synctest.Wait()
		}
		add(1)
		add(intakeRecords / 2)
		add(intakeRecords * 3 / 4)
		require.NoError(t, r.Close())
		assert.False(t, slices.ContainsFunc(all(t, r, 0), func(rec Record) bool { return rec.Body.Kind() == KindGap }))
	})
}
