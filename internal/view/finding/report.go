// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"slices"

	"github.com/crdctl/crdctl/internal/trace"
)

// entry is a finding that was reported.
type entry struct {
	trace.Finding

	last int64 // when it was shown last, by evidence
}

// reportAs opens a finding, opens it again, or updates it. Type, Subject, Message, Certainty and Evidence are set by the
// caller; at is when the newest evidence happened.
func (e *Engine) reportAs(t *Type, f trace.Finding, at int64) {
	f.Type = t.Name
	f.ID = t.Name + ": " + f.Subject
	if f.Fix == "" {
		f.Fix = t.Fix
	}
	if e.newer() != "" {
		f.Certainty = weaker(f.Certainty, trace.Likely)
	}
	was := e.findings[f.ID]
	if was != nil && was.Until == 0 {
		f.Since, f.Build = was.Since, was.Build
		was.Finding, was.last = f, max(was.last, at)
		return
	}
	if e.open[t.Name] >= openMax {
		return
	}
	if was != nil {
		e.resolved--
	}
	if f.Since == 0 {
		f.Since = at
	}
	f.Build = e.m.BuildAt(f.Since)
	e.findings[f.ID] = &entry{f, at}
	e.open[t.Name]++
	e.note(f.ID)
}

// resolveAs ends a finding.
func (e *Engine) resolveAs(t *Type, subject string) {
	id := t.Name + ": " + subject
	f := e.findings[id]
	if f == nil || f.Until != 0 {
		return
	}
	f.Until = max(e.clock, 1)
	f.Message += "; resolved"
	if build := e.m.BuildAt(f.Until); build > e.m.BuildAt(f.last) {
		f.ResolvedBy = build
		f.Message += fmt.Sprintf(" by build %d", build)
	}
	e.open[t.Name]--
	e.note(id)
	if e.resolved++; e.resolved > resolvedMax {
		e.dropOldest()
	}
}

func (e *Engine) note(id string) {
	if !slices.Contains(e.changed, id) {
		e.changed = append(e.changed, id)
	}
	if len(e.changed) > openMax*len(e.types) {
		e.changed = e.changed[1:] // Changes is not called
	}
}

func (e *Engine) dropOldest() {
	var oldest *entry
	for _, f := range e.findings {
		if f.Until != 0 && (oldest == nil || f.Until < oldest.Until || f.Until == oldest.Until && f.ID < oldest.ID) {
			oldest = f
		}
	}
	delete(e.findings, oldest.ID)
	e.resolved--
}

// mark is one piece of evidence.
type mark struct{ t, seq int64 }

// window is the evidence of the last seconds, and how much there was before.
type window struct {
	marks []mark
	total int
	began int64 // T of the first mark ever
	apart int64 // between the last two marks
}

// marksMax bounds a window: rates above it are computed from the newest.
const marksMax = 1024

// windowOf returns the window of a key, which it makes on first use.
func windowOf[K comparable](of map[K]*window, k K) *window {
	w := of[k]
	if w == nil {
		w = &window{}
		of[k] = w
	}
	return w
}

func (w *window) add(t, seq int64) {
	if w.total == 0 {
		w.began = t
	}
	if w.total++; w.n() > 0 {
		w.apart = t - w.last()
	}
	if w.marks = append(w.marks, mark{t, seq}); len(w.marks) > marksMax {
		w.marks = w.marks[1:]
	}
}

// cut drops what is older than a time.
func (w *window) cut(before int64) {
	n := 0
	for n < len(w.marks) && w.marks[n].t < before {
		n++
	}
	w.marks = w.marks[n:]
}

func (w *window) n() int { return len(w.marks) }

// first and last are the times of the oldest and of the newest mark.
func (w *window) first() int64 { return w.marks[0].t }
func (w *window) last() int64  { return w.marks[len(w.marks)-1].t }

// isOver reports whether no mark came for some time. What is tried again in a back-off comes after twice as long as the last time, unless it
// succeeded in between.
func (w *window) isOver(now, quiet int64) bool { return now-w.last() > max(quiet, 4*w.apart) }

// succeeded is for what was tried again.
func (w *window) succeeded() { w.apart = 0 }

// rate is marks a second.
func (w *window) rate() float64 {
	if w.n() < 2 || w.last() == w.first() {
		return float64(w.n())
	}
	return float64(w.n()-1) / (float64(w.last()-w.first()) / float64(second))
}

// evidence is the first and the newest marks.
func (w *window) evidence() []int64 {
	var seqs []int64
	for i, m := range w.marks {
		if i == 0 || i >= len(w.marks)-9 {
			seqs = append(seqs, m.seq)
		}
	}
	return seqs
}

// evidence puts records in order, without those that are not known, and each once.
func evidence(seqs ...int64) []int64 {
	seqs = slices.DeleteFunc(seqs, func(s int64) bool { return s == 0 })
	slices.Sort(seqs)
	return slices.Compact(seqs)
}
