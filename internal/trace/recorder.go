// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"math"
	"sync"
	"time"
)

// Options are the settings of a Recorder.
type Options struct {
	Header   Header // of the recording; Format is set, and Start and Run where they are empty
	MaxBytes int64  // of records in memory; 0 is 16 MiB
	File     string // also write all records to this file, from Begin on; empty for none

	// Redact changes the line of a record before it is kept anywhere; it may change the line in place. nil changes
	// nothing.
	Redact func(line []byte) []byte

	// RedactBody changes a body before its line is made; nil changes nothing.
	RedactBody func(Body)

	// Failed is called once, with the first error of the file, when that ends. It must be quick, and must not use the
	// Recorder. nil ignores it: Close returns the error, too.
	Failed func(error)
}

var (
	_ Sink   = (*Recorder)(nil)
	_ Source = (*Recorder)(nil)
)

const (
	defaultMaxBytes = 16 << 20
	intakeRecords   = 16384 // records that wait to be encoded
	intakeBytes     = 64 << 20

	// gatherFor is how long records are gathered before they are encoded. Readers see them after that, and so does the file.
	gatherFor = 100 * time.Millisecond
)

// A Recorder keeps the records of what runs: the last ones in memory, and all of them in a file. It is a Sink for those
// who make records, and a Source for those who read them. All methods are safe for concurrent use.
//
// Options.MaxBytes of records are in memory before the oldest go. Definitions of what a record in memory refers to stay,
// and so do findings that are open, with their evidence.
type Recorder struct {
	start  time.Time
	defs   *Defs
	redact func([]byte) []byte
	body   func(Body)
	ring   *ring
	file   *fileWriter // nil without a file
	late   *lateFile   // what file writes to
	failed error       // of the file; belongs to work
	report func(error) // what failed
	line   []byte      // the last; belongs to work
	plain  []byte      // the last line before redaction; belongs to work

	mu      sync.Mutex
	queue   []Record // that wait, by Seq
	waiting int      // bytes of their texts and objects
	seq     int64    // of the last record
	dropped map[Kind]int64
	since   int64 // T of the first of dropped
	closed  bool

	wake chan struct{} // has a value when work has something to do
	done chan struct{} // closed when work has ended
}

// New starts a recording. Close must be called.
func New(o Options) (*Recorder, error) {
	r := &Recorder{
		start: time.Now(), redact: o.Redact, body: o.RedactBody, report: o.Failed, ring: newRing(o.MaxBytes),
		dropped: map[Kind]int64{}, wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	if r.redact == nil {
		r.redact = func(line []byte) []byte { return line }
	}
	r.defs = NewDefs(func(d *Def) { r.Add(d) })
	o.Header.Format = Format
	if o.Header.Start == "" {
		o.Header.Start = r.start.Format(time.RFC3339Nano)
	}
	if o.Header.Run == "" {
		o.Header.Run = rand.Text()
	}
	if o.File != "" {
		var err error
		if r.file, r.late, err = createFile(o.File); err != nil {
			return nil, err
		}
	}
	r.seq = 1
	r.keep(&Record{Seq: r.seq, T: r.Now(), Body: &o.Header}) // first, for readers and in the file
	go r.work()
	return r, nil
}

// Begin replaces the file of Options by what was recorded, and has all that follows written to it. Without it, the file
// stays as it was.
func (r *Recorder) Begin() error {
	if r.late == nil {
		return nil
	}
	return r.late.begin()
}

// Now implements Sink.
func (r *Recorder) Now() int64 { return int64(time.Since(r.start)) }

// Defs implements Sink.
func (r *Recorder) Defs() *Defs { return r.defs }

// Add implements Sink. The body belongs to the recorder and its readers afterwards: it must not be changed. It is lost if the recorder
// was closed.
func (r *Recorder) Add(b Body) { r.AddAt(math.MaxInt64, b) }

// AddAt implements Sink, as Add does.
func (r *Recorder) AddAt(t int64, b Body) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	now := r.Now()
	size := weight(b)
	if _, def := b.(*Def); (len(r.queue) >= intakeRecords || r.waiting+size > intakeBytes) && !def { // a definition that is lost would make records unreadable
		if len(r.dropped) == 0 {
			r.since = now
		}
		r.dropped[b.Kind()]++
		return
	}
	r.waiting += size
	r.push(max(0, min(t, now)), b)
}

// weight is the length of what is long in a record, if anything is.
func weight(b Body) (n int) {
	switch b := b.(type) {
	case *Request:
		n = len(b.Body) + len(b.Message) + weightOf(b.Drift)
	case *Version:
		n = len(b.Full) + weightOf(b.Changes)
	case *Log:
		n = len(b.Message)
	case *Hook:
		n = len(b.Question) + len(b.Answer) + len(b.Stderr)
	case *Admission:
		n = len(b.Patch)
	}
	return n
}

func weightOf(changes []Change) (n int) {
	for _, c := range changes {
		n += len(c.Path) + len(c.Old) + len(c.New)
	}
	return n
}

// push queues a record. r.mu is held.
func (r *Recorder) push(t int64, b Body) {
	r.seq++
	r.queue = append(r.queue, Record{Seq: r.seq, T: t, Body: b})
	if n := len(r.queue); n == 1 || n >= intakeRecords/2 || r.waiting >= intakeBytes/2 {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
}

// take returns the records that wait, and gives empty to be filled next. What was dropped since the last call comes
// after them: nothing was taken in since.
func (r *Recorder) take(empty []Record) (batch []Record, closed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.dropped) > 0 {
		now := r.Now()
		r.push(now, &Gap{From: r.since, To: now, Dropped: r.dropped, Why: "records came faster than they could be kept"})
		r.dropped = map[Kind]int64{}
	}
	batch, r.queue, r.waiting = r.queue, empty[:0], 0
	return batch, r.closed
}

// work keeps records until the recorder is closed and all are kept.
func (r *Recorder) work() {
	defer close(r.done)
	var flush <-chan time.Time
	var batch []Record
	var gathered time.Time // when the batch was taken
	for {
		select {
		case <-r.wake:
			r.gather(&gathered)
		case <-flush:
			flush = nil
			r.fileFailed(r.file.flush())
			continue
		}
		clear(batch) // it holds bodies
		var closed bool
		batch, closed = r.take(batch)
		for i := range batch {
			r.keep(&batch[i])
		}
		if r.ring.turned() {
			r.ring.forget(r.defs.forget(r.ring.needed()))
		}
		r.ring.changed()
		if r.file != nil && flush == nil && len(batch) > 0 {
			flush = time.After(flushAfter)
		}
		if closed {
			return
		}
	}
}

// gather waits for what comes next, unless nothing came for as long, half of the intake is full, or the recorder is closed. To wake goroutines for each record takes the
// processor from what is recorded more often than the records need it.
func (r *Recorder) gather(last *time.Time) {
	if wait := gatherFor - time.Since(*last); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.wake: // by Close, or in a burst: other records only wake work if none wait
		}
	}
	*last = time.Now()
}

// keep encodes a record and puts it where it is kept.
func (r *Recorder) keep(rec *Record) {
	if r.body != nil {
		r.body(rec.Body)
	}
	if id := about(rec.Body); id != 0 {
		r.defs.use(id)
	}
	line, err := rec.AppendJSON(r.line[:0])
	if err != nil {
		kind := rec.Body.Kind()
		rec.Body = &Gap{From: rec.T, To: rec.T, Dropped: map[Kind]int64{kind: 1}, Why: err.Error()}
		if line, err = rec.AppendJSON(r.line[:0]); err != nil {
			panic(fmt.Sprintf("encode a gap: %v", err)) // it has numbers and strings only
		}
	}
	r.line = line // is used again: it is copied where it is kept
	r.plain = append(r.plain[:0], line...)
	line = r.redact(line)
	r.ring.add(rec, line, bytes.Equal(line, r.plain))
	if r.file != nil {
		r.fileFailed(r.file.add(rec, line))
	}
}

// about returns the object that a record is about.
func about(b Body) ObjectID {
	switch b := b.(type) {
	case *Request:
		return b.Object
	case *Version:
		return b.Object
	case *Event:
		return b.Object
	case *Queue:
		return b.Object
	case *Reconcile:
		return b.Object
	case *Decision:
		return b.Object
	case *KubeEvent:
		return b.Object
	}
	return 0
}

// fileFailed ends the file at its first error, which Close returns; the recording in memory goes on.
func (r *Recorder) fileFailed(err error) {
	if err == nil {
		return
	}
	if r.failed, r.file = err, nil; r.report != nil {
		r.report(err)
	}
}

// Close ends the recording: it waits until all records are kept, ends what Records yields, and returns the error that
// the file had, if any. Records that are in memory can still be read.
func (r *Recorder) Close() error {
	r.mu.Lock()
	first := !r.closed
	r.closed = true
	r.mu.Unlock()
	if first {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
	<-r.done
	if !first {
		return nil
	}
	r.ring.close()
	if r.file != nil {
		r.failed = r.file.close(r.ring.openFindings())
	}
	return r.failed
}
