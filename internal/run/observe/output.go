// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/crdctl/crdctl/internal/trace"
)

const (
	// maxWaiting bounds the bytes that the controller has printed and that are not read yet.
	maxWaiting = 4 << 20
	// maxLine bounds what is read of a line. The rest of it is left out.
	maxLine = 16 << 10
)

// Output returns a writer that passes on all bytes as they are, and has the lines recorded. A stream is "stdout", "stderr", or empty
// where both go to w. The writer is as fast as w: what cannot be read in time is not recorded, and counted. A nil Run returns w.
func (r *Run) Output(w io.Writer, stream string) io.Writer {
	if r == nil {
		return w
	}
	return &output{w: w, lines: r.lines, stream: stream}
}

type output struct {
	w      io.Writer
	lines  *lines
	stream string
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if n > 0 { // what a writer took may be the caller's buffer for the next
		o.lines.take(o.stream, p[:n])
	}
	return n, err
}

// chunk is a part of what a stream had.
type chunk struct {
	stream string
	at     int64
	bytes  []byte
}

// lines reads what the controller prints, one goroutine for all streams.
type lines struct {
	run        *Run
	reconciles *reconciles
	chunks     chan chunk
	waiting    atomic.Int64 // bytes in chunks
	ended      chan struct{}

	mu     sync.Mutex
	closed bool
	lost   int64 // lines since the last gap
	from   int64 // when the first of them was lost

	open map[string]*bytes.Buffer // by stream: the line that is not complete yet
}

func newLines(r *Run) *lines {
	l := &lines{run: r, reconciles: newReconciles(), chunks: make(chan chunk, 1024), ended: make(chan struct{}), open: map[string]*bytes.Buffer{}}
	go l.read()
	return l
}

// take returns at once.
func (l *lines) take(stream string, p []byte) {
	c := chunk{stream: stream, at: l.run.sink.Now(), bytes: bytes.Clone(p)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if l.waiting.Add(int64(len(p))) <= maxWaiting {
		select {
		case l.chunks <- c:
			return
		default:
		}
	}
	l.waiting.Add(-int64(len(p)))
	if l.lost == 0 {
		l.from = c.at
	}
	l.lost += max(1, int64(bytes.Count(p, []byte{'\n'})))
}

func (l *lines) close() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.chunks)
	}
	l.mu.Unlock()
	<-l.ended
}

func (l *lines) read() {
	defer close(l.ended)
	for c := range l.chunks {
		l.waiting.Add(-int64(len(c.bytes)))
		l.split(c)
		l.gap(c.at)
	}
	for stream, open := range l.open {
		if open.Len() > 0 {
			l.line(stream, open.String(), l.run.sink.Now())
		}
	}
	l.gap(l.run.sink.Now())
}

// gap records what was lost. The line that is open then has lost its end.
func (l *lines) gap(until int64) {
	l.mu.Lock()
	lost, from := l.lost, l.from
	l.lost = 0
	l.mu.Unlock()
	if lost > 0 {
		clear(l.open)
		l.run.sink.Add(&trace.Gap{From: from, To: max(from, until), Dropped: map[trace.Kind]int64{trace.KindLog: lost}, Why: "the controller printed faster than its lines were read"})
	}
}

func (l *lines) split(c chunk) {
	open := l.open[c.stream]
	if open == nil {
		open = &bytes.Buffer{}
		l.open[c.stream] = open
	}
	for part := range bytes.SplitAfterSeq(c.bytes, []byte{'\n'}) {
		text, whole := bytes.CutSuffix(part, []byte{'\n'})
		open.Write(text[:min(len(text), maxLine-open.Len())])
		if whole {
			l.line(c.stream, open.String(), c.at)
			open.Reset()
		}
	}
}

func (l *lines) line(stream, text string, at int64) {
	text = strings.TrimSuffix(text, "\r")
	if strings.TrimSpace(text) == "" {
		return
	}
	read := readLine(text)
	record := read.record()
	build, _, actor := l.run.running()
	record.Stream, record.Build, record.Actor = stream, build, actor
	l.run.sink.AddAt(at, record)
	if reconcile := l.reconciles.record(read, at); reconcile != nil {
		reconcile.Actor = actor
		l.run.sink.AddAt(at, reconcile)
	}
}
