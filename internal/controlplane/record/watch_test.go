// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// What a large watch begins with is queued in parts, each of whole frames, though it is not flushed.
func TestLargeWatchIsQueuedInParts(t *testing.T) {
	line := func(i int) []byte {
		return fmt.Appendf(nil, `{"type":"ADDED","object":{"metadata":{"uid":"%d","name":"%s"}}}`+"\n", i, strings.Repeat("x", 1000))
	}
	frame := func(i int) []byte {
		content := bytes.Repeat([]byte{byte(i)}, 1000)
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), content...)
	}
	for answerType, frameOf := range map[string]func(int) []byte{typeJSON: line, typeProtobuf + ";stream=watch": frame} {
		r := New(Options{Sink: &kept{}}, "a", "c", "s")
		w := newWatch(r, &exchange{answerType: answerType})
		var sent []byte
		for i := range 10_000 {
			f := frameOf(i)
			sent = append(sent, f...)
			w.wrote(f[:len(f)/2], 0)
			w.wrote(f[len(f)/2:], 0)
			require.Less(t, len(w.chunk), chunkBytes+len(f))
		}
		w.flush(0)
		var queued []byte
		parts := 0
		for _, i := range r.queue {
			if d, ok := i.(delivery); ok {
				parts++
				require.LessOrEqual(t, len(d.content), chunkBytes+len(sent)/10_000+1)
				require.Equal(t, len(d.content), wholeFrames(d.content, w.protobuf()))
				queued = append(queued, d.content...)
			}
		}
		assert.Greater(t, parts, 9)
		assert.Equal(t, sent, queued)
	}
}

// A compressed part is read in pieces, which do not end where frames do.
func TestCompressedWatchIsRead(t *testing.T) {
	var content bytes.Buffer
	z := gzip.NewWriter(&content)
	for i := range 1000 {
		_, err := fmt.Fprintf(z, `{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"r%d %s"}}`+"\n", i, strings.Repeat("x", 1000))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	s := &kept{}
	w := newWatch(New(Options{Sink: s}, "a", "c", "s"), &exchange{answerType: typeJSON, answerEncoding: "gzip"})
	w.read(&worker{Recorder: w.r}, 0, content.Bytes())
	assert.False(t, w.failed)
	assert.Len(t, s.bodies, 1000)
	assert.True(t, strings.HasPrefix(w.reason, "r999 "))
	w.read(&worker{Recorder: w.r}, 0, []byte("not compressed"))
	assert.True(t, w.failed)
	requireGap(t, s.bodies[1000:], "cannot be decompressed")
}

// requireGap requires that bodies are one gap of events.
func requireGap(t *testing.T, bodies []trace.Body, why string) {
	t.Helper()
	require.Len(t, bodies, 1)
	gap, ok := bodies[0].(*trace.Gap)
	require.True(t, ok)
	assert.Equal(t, map[trace.Kind]int64{trace.KindEvent: 1}, gap.Dropped)
	assert.Contains(t, gap.Why, why)
}

// Events that cannot be read are missing, which findings are to know.
func TestUnreadableEventsAreAGap(t *testing.T) {
	read := func(answerType, content string) []trace.Body {
		s := &kept{}
		w := newWatch(New(Options{Sink: s}, "a", "c", "s"), &exchange{answerType: answerType})
		w.read(&worker{Recorder: w.r}, 0, []byte(content))
		w.read(&worker{Recorder: w.r}, 0, nil) // and no gap for each part of a stream that was given up
		return s.bodies
	}
	requireGap(t, read(typeJSON, "{\"type\":\"ADDED\",\"object\":[\n"), "an event of a watch cannot be read")
	requireGap(t, read("application/cbor-seq", "x"), "as application/cbor-seq")
	assert.Empty(t, read(typeJSON, `{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}}`+"\n"), "kubectl's tables have no objects")
}

// Now implements trace.Sink.
func (k *kept) Now() int64 { return k.now }

// slow is a client: the server has the time again some time after the client has the events.
type slow struct {
	http.ResponseWriter

	*kept
	takes time.Duration
}

func (s *slow) Write(p []byte) (int, error) { return len(p), nil }

func (s *slow) Flush() { s.now += int64(s.takes) }

// On a busy machine, a client may act on an event before the server runs again: the event says since when.
func TestEventsThatTakeLongToHandOver(t *testing.T) {
	for takes, want := range map[time.Duration]int64{time.Microsecond: 0, time.Second: 5} {
		s := &kept{now: 5}
		x := &exchange{answerType: typeJSON}
		a := &answer{ResponseWriter: &slow{kept: s, takes: takes}, r: New(Options{Sink: s}, "a", "c", "s"), x: x, code: http.StatusOK}
		a.watch = newWatch(a.r, x)
		a.watch.rec.ID = "opened"
		for _, part := range []string{`{"type":"ERROR",`, `"object":{"kind":"Status","code":410}}` + "\n"} {
			_, err := a.Write([]byte(part))
			require.NoError(t, err)
		}
		a.Flush()
		for _, i := range a.r.queue {
			if d, ok := i.(delivery); ok {
				d.work(&worker{Recorder: a.r})
			}
		}
		require.Len(t, s.bodies, 1)
		event, ok := s.bodies[0].(*trace.Event)
		require.True(t, ok)
		assert.Equal(t, want, event.Began)
	}
}
