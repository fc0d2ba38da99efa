// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var retryClimbing = &Type{
	Name:  "retry-climbing",
	Means: "a key fails at least 3 times in a row, and is tried again after longer and longer times",
	Fix:   "fix the cause of the error; return no error for what only a change can fix, since a change is delivered anyway",
	needs: []trace.Kind{trace.KindReconcile},
	lacks: noReconciles,
	install: func(b base) {
		r := &retries{base: b, of: map[model.Key]*retry{}}
		b.retries = r
		b.onEnd = append(b.onEnd, r.end)
		b.onQueue = append(b.onQueue, r.queue)
		b.onTick = append(b.onTick, r.tick)
	},
}

const (
	retryLeast = 3
	retryQuiet = 30 * second

	// lineLate is by how much lines that are printed in the same second can be read late. Their times are when they were read, so shorter waits
	// show neither that a back-off goes on nor that it has ended.
	lineLate = second / 2

	conflict = "the object has been modified" // is in the message of each
)

type retries struct {
	base

	of map[model.Key]*retry
}

// retry is the failures of a key in a row.
type retry struct {
	window

	subject string
	err     string
	delay   int64 // until it is tried again; 0 if that is not known
	next    int64 // T
	over    bool  // it is not tried again
	unseen  bool  // only failures are recorded: it can have succeeded between them
	shown   bool
}

func (d *retries) end(rec *model.Reconcile) {
	k := model.Key{Controller: rec.Controller, Key: rec.Key}
	if rec.Result != "error" && rec.Result != "panic" {
		d.forget(k)
		return
	}
	unseen := rec.NoBegin && !d.IsRecorded(trace.ClassController)
	if unseen && strings.Contains(rec.Err, conflict) {
		return // as a rule the next try succeeds, unseen, and those that do not are a finding of their own
	}
	if w := d.of[k]; unseen && w != nil && w.n() > 1 && w.apart() > lineLate && rec.Ended-w.last() < w.apart()/2 {
		d.forget(k) // its back-off has ended
	}
	w := d.of[k]
	if w == nil {
		w = &retry{subject: subjectOf(rec)}
		d.of[k] = w
	}
	w.unseen = unseen
	w.add(rec.Ended, rec.EndSeq)
	if w.err = rec.Err; w.n() > 10 {
		w.marks = w.marks[1:]
	}
	if w.next < rec.Ended {
		w.delay, w.next = 0, 0
	}
	d.show(w)
}

// subjectOf is the object of a reconcile, or its controller and key.
func subjectOf(rec *model.Reconcile) string {
	if rec.Object != nil {
		return rec.Object.String()
	}
	return rec.Controller + " " + rec.Key
}

func (d *retries) queue(q *trace.Queue, r trace.Record) {
	k := model.Key{Controller: q.Controller, Key: q.Key}
	w := d.of[k]
	if w == nil {
		return
	}
	switch q.Op {
	case "rateLimited":
		if w.delay, w.next = q.Delay, r.T+q.Delay; q.Delay == 0 {
			w.next = 0
		}
		d.show(w)
	case "forget":
		d.forget(k)
	}
}

func (d *retries) show(w *retry) {
	if w.total < retryLeast {
		return
	}
	certainty, row := trace.Certain, " in a row"
	if w.unseen {
		if certainty, row = trace.Likely, ", probably in a row as its waits grow"; !w.shown && !w.climbs() {
			return
		}
	}
	w.shown = true
	message := fmt.Sprintf("%s failed %d times%s, last error %s", w.subject, w.total, row, quote(w.err))
	if next := d.nextTry(w); next != "" {
		message += ", " + next
	} else if w.n() > 1 {
		message += fmt.Sprintf(", the last two %s apart", model.Duration(w.apart()))
	}
	d.report(trace.Finding{Subject: w.subject, Since: w.began, Message: message, Certainty: certainty, Evidence: w.evidence()}, w.last())
}

// apart is the time between the last two failures, of at least two.
func (w *retry) apart() int64 { return w.last() - w.marks[w.n()-2].t }

// climbs reports whether the last wait was longer than the one before, as in a back-off and unlike what fails now and then.
func (w *retry) climbs() bool {
	n := w.n()
	return n >= 3 && w.apart() > lineLate && float64(w.apart()) > 1.2*float64(w.marks[n-2].t-w.marks[n-3].t)
}

// nextTry is when a key is tried again: as the queue says, or as the tries before suggest.
func (d *retries) nextTry(w *retry) string {
	switch next := w.doubled(); {
	case w.over:
	case w.next != 0:
		return fmt.Sprintf("next try in %s (%s)", model.Duration(w.next-d.clock), at(w.next))
	case next > d.clock:
		return fmt.Sprintf("next try probably in %s (%s), as its waits double", model.Duration(next-d.clock), at(next))
	}
	return ""
}

// doubled is when the next try begins if its back-off doubles as it did before, or 0: work queues of client-go and controller-runtime double it
// up to 1000 seconds, unless they are given another limiter. Short waits are too close to the time that a try takes.
func (w *retry) doubled() int64 {
	n := w.n()
	if n < 3 {
		return 0
	}
	before, last := w.marks[n-2].t-w.marks[n-3].t, w.apart()
	if ratio := float64(last) / float64(before); last < second/10 || last > 500*second || ratio < 1.7 || ratio > 2.3 {
		return 0
	}
	return w.last() + 2*last
}

func (d *retries) forget(k model.Key) {
	if w := d.of[k]; w != nil {
		delete(d.of, k)
		w.over = true
		for _, other := range d.of {
			if other.subject == w.subject && other.shown {
				d.show(other) // another controller of the program fails for the same object, and its finding has the same subject
				return
			}
		}
		d.show(w)
		d.resolve(w.subject)
	}
}

func (d *retries) tick(now int64) {
	for k, w := range d.of {
		apart := int64(0)
		if w.n() > 1 {
			apart = w.apart()
		}
		if now-max(w.last(), w.next) > max(retryQuiet, 4*apart) {
			d.forget(k)
		} else if max(w.next, w.doubled()) > now {
			d.show(w)
		}
	}
}
