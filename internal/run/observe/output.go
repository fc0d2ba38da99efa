// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
)

const (
	// maxWaiting bounds the bytes that the controller has printed and that are not read yet.
	maxWaiting = 4 << 20
	// maxLine bounds what is read of a line. The rest of it is left out.
	maxLine = 16 << 10
	// maxLate bounds by how much a line is read later than it was printed.
	maxLate = int64(30 * time.Second)
)

// Output returns a writer that passes on all bytes as they are, and has the lines recorded. A stream is "stdout", "stderr", or empty
// where both go to w. The writer is as fast as w: what cannot be read in time is not recorded, and counted. A nil Process returns w.
func (p *Process) Output(w io.Writer, stream string) io.Writer {
	if p == nil {
		return w
	}
	return &output{w: w, lines: p.run.lines, of: source{p, stream}}
}

// source is a stream of a process.
type source struct {
	*Process
	stream string
}

type output struct {
	w     io.Writer
	lines *lines
	of    source
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if n > 0 { // what a writer took may be the caller's buffer for the next
		o.lines.take(o.of, p[:n])
	}
	return n, err
}

// chunk is a part of what a stream had.
type chunk struct {
	of    source
	at    int64
	bytes []byte
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

	open map[source]*bytes.Buffer // the lines that are not complete yet
}

func newLines(r *Run) *lines {
	l := &lines{run: r, reconciles: newReconciles(), chunks: make(chan chunk, 1024), ended: make(chan struct{}), open: map[source]*bytes.Buffer{}}
	go l.read()
	return l
}

// take returns at once.
func (l *lines) take(of source, p []byte) {
	c := chunk{of: of, at: l.run.sink.Now(), bytes: bytes.Clone(p)}
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
		l.flush(c.of.Process, c.at)
		l.split(c)
		l.gap(c.at)
	}
	l.flush(nil, l.run.sink.Now())
	l.gap(l.run.sink.Now())
}

// flush ends the lines of all processes but one: they have ended.
func (l *lines) flush(but *Process, at int64) {
	for of, open := range l.open {
		if of.Process != but {
			l.line(of, open.String(), at)
			delete(l.open, of)
		}
	}
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
	open := l.open[c.of]
	if open == nil {
		open = &bytes.Buffer{}
		l.open[c.of] = open
	}
	for part := range bytes.SplitAfterSeq(c.bytes, []byte{'\n'}) {
		text, whole := bytes.CutSuffix(part, []byte{'\n'})
		open.Write(text[:min(len(text), maxLine-open.Len())])
		if whole {
			l.line(c.of, open.String(), c.at)
			open.Reset()
		}
	}
}

func (l *lines) line(of source, text string, at int64) {
	text = strings.TrimSuffix(text, "\r")
	if strings.TrimSpace(text) == "" {
		return
	}
	read := readLine(text)
	at = l.printed(read.at, at)
	record := read.record(l.run.sink.Defs().IsKind)
	<-of.started
	record.Stream, record.Build, record.Actor = of.stream, of.build, of.actor
	l.run.sink.AddAt(at, record)
	if reconcile := l.reconciles.record(read, at); reconcile != nil {
		reconcile.Actor = of.actor
		l.run.sink.AddAt(at, reconcile)
	}
}

// printed is when a line was printed, as it has it itself: a busy machine reads it some time later. A time that is later than when it was
// read, or much earlier, is that of another clock.
func (l *lines) printed(by time.Time, read int64) int64 {
	if by.IsZero() {
		return read
	}
	if at := l.run.sink.Now() - int64(time.Since(by)); at <= read && at > max(0, read-maxLate) {
		return at
	}
	return read
}
