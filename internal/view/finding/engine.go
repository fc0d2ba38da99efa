// SPDX-License-Identifier: Apache-2.0

// Package finding finds what goes wrong in a recording: hot loops, fights about fields, conflicts, refused watches and
// the rest, each as a sentence with its evidence, its certainty and what to do. It is a function of the records and of
// the times that it is told: it does no I/O, has no clock, and the same records give the same findings live and from a
// file.
package finding

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

const (
	second = int64(1e9)

	// settle is for how long a record waits until findings look at it. Records of one write come from several places,
	// in any order; after this time their links are known.
	settle = 300 * second / 1000

	// heldMax is how many records are held to link others with. Beyond it the oldest half is forgotten.
	heldMax = 16_384

	// heldBytes bounds the lines of these records, which are some 300 bytes long. Those of large objects are longer.
	heldBytes = 64 << 20

	// ticksMax is how many ticks a time without records has before it is skipped: enough for what is quiet to resolve.
	ticksMax = 600

	// openMax is how many findings of one type are listed; resolvedMax how many that were resolved.
	openMax, resolvedMax = 50, 1000
)

// Engine finds. New makes one. It is not safe for concurrent use.
type Engine struct {
	types   []*Type
	m       *model.Model
	pending []trace.Record // in their order; the first looked were looked at
	looked  int
	now     int64 // of the newest record, or of Tick
	clock   int64 // of the newest record that was looked at
	ticked  int64 // seconds

	beats []int64 // when the controller was seen, at least a second apart

	seen map[trace.Kind]int64 // records that were added
	lost map[trace.Kind]int64 // records that were dropped, as gaps say

	onRequest   []func(*model.Request)
	onVersion   []func(*model.Version)
	onDelivery  []func(*model.Object, *model.Delivery)
	onBegin     []func(*model.Reconcile)
	onEnd       []func(*model.Reconcile)
	onWatch     []func(*model.Watch, *trace.Watch, trace.Record)
	onQueue     []func(*trace.Queue, trace.Record)
	onLog       []func(*trace.Log, trace.Record)
	onKubeEvent []func(*trace.KubeEvent, trace.Record)
	onMetrics   []func(*trace.Metrics, trace.Record)
	onAdmission []func(*trace.Admission, trace.Record)
	onRights    []func(*trace.Rights, trace.Record)
	onGap       []func(*trace.Gap, trace.Record)
	onTick      []func(now int64)

	retries   *retries // stuck finalizers have the next try, too
	throttled *throttled
	manyUses  bool // of what was granted: more than are remembered
	findings  map[string]*entry
	open      map[string]int // by type
	resolved  int
	changed   []string
}

// New returns an engine that has seen nothing.
func New() *Engine {
	e := &Engine{types: types, m: model.New(), seen: map[trace.Kind]int64{}, lost: map[trace.Kind]int64{}, findings: map[string]*entry{}, open: map[string]int{}}
	for _, t := range types {
		t.install(base{e, t})
	}
	return e
}

// Add takes the next record, in the order of Seq. Of findings and an index in the recording only the time matters: what they say is
// found again.
func (e *Engine) Add(r trace.Record) {
	switch b := r.Body.(type) {
	case *trace.Finding, *trace.Index:
		e.Tick(r.T)
		return
	case *trace.Unknown:
		if b.Err == nil {
			return
		}
		r.Body = &trace.Gap{From: r.T, To: r.T, Dropped: map[trace.Kind]int64{b.K: 1}, Damaged: true, Why: fmt.Sprintf("record %d: %v", r.Seq, b.Err)}
	case *trace.Header, *trace.Def:
		e.m.Add(r)
		return
	}
	if gap, ok := r.Body.(*trace.Gap); ok {
		plausible := *gap
		plausible.Dropped = dropped(gap.Dropped)
		r.Body = &plausible
		for k, n := range plausible.Dropped {
			e.lost[k] += n
		}
	}
	e.seen[r.Body.Kind()]++
	e.m.Add(r)
	r.Raw = nil // its fields are enough
	i := len(e.pending)
	for i > e.looked && order(e.pending[i-1]) > order(r) {
		i--
	}
	e.pending = slices.Insert(e.pending, i, r)
	e.Tick(r.T)
}

// early is by how much a client can have acted on a delivery before it is known to be handed over.
const early = second / 100

// order is the time by which records are looked at. What happened is recorded in any order: a delivery when it is decoded, and a controller
// may have told meanwhile what it did because of it.
func order(r trace.Record) int64 {
	if d, ok := r.Body.(*trace.Event); ok {
		return cmp.Or(d.Began, r.T) - early
	}
	return r.T
}

// dropped is what a gap has, with each number plausible: at least one, and of kinds that findings are made of.
func dropped(of map[trace.Kind]int64) map[trace.Kind]int64 {
	all := map[trace.Kind]int64{}
	for k, n := range of {
		if !trace.Known(k) {
			k = trace.KindAny
		}
		all[k] += min(max(n, 1), 1<<40)
	}
	if len(all) == 0 {
		all[trace.KindAny] = 1
	}
	return all
}

// Tick tells the time, as nanoseconds since the recording started, so that findings that come and go with time do so
// while no records come.
func (e *Engine) Tick(t int64) {
	e.now = max(e.now, t)
	full := e.m.Len() > heldMax || e.m.Len() > 1 && e.m.Bytes() > heldBytes
	middle, due := int64(0), 0
	if full { // also of those that have come at once
		middle = e.m.At(e.m.Len() / 2).Seq
		for i, r := range e.pending {
			if r.Seq < middle {
				due = i + 1
			}
		}
	}
	for e.looked < len(e.pending) && (e.looked < due || order(e.pending[e.looked]) <= e.now-settle) {
		r := e.pending[e.looked]
		e.pending[e.looked] = trace.Record{}
		e.looked++
		e.advance(order(r))
		e.look(r)
	}
	if e.looked > len(e.pending)/2 { // to move the others costs less than what a new array would
		n := copy(e.pending, e.pending[e.looked:])
		clear(e.pending[n:])
		e.pending, e.looked = e.pending[:n], 0
	}
	if len(e.pending) == 0 {
		e.advance(e.now - settle)
	}
	if full {
		e.forget(middle)
	}
}

// End looks at all records that wait. It is for a recording that ended.
func (e *Engine) End() {
	e.m.End()
	e.Tick(e.now + settle)
}

// advance moves the clock, with a tick for each second that has passed, but for those of a long time without records.
func (e *Engine) advance(t int64) {
	first, last := e.ticked+1, t/second
	for s := first; s <= last; s++ {
		if s-first >= ticksMax {
			s = last
		}
		e.ticked, e.clock = s, max(e.clock, s*second)
		for _, f := range e.onTick {
			f(s * second)
		}
	}
	e.clock = max(e.clock, t)
}

func (e *Engine) forget(before int64) {
	for _, r := range e.pending[e.looked:] {
		before = min(before, r.Seq)
	}
	e.m.Forget(before)
}

// beatsMax is how many times at which the controller was seen are kept.
const beatsMax = 128

// beat notes that the controller was seen.
func (e *Engine) beat(t int64) {
	if n := len(e.beats); n > 0 && t < e.beats[n-1]+second {
		return
	}
	if e.beats = append(e.beats, t); len(e.beats) > beatsMax {
		e.beats = e.beats[1:]
	}
}

// alive is for how many seconds the controller was seen after a time. Where nothing is recorded of it, that tells nothing of the controller:
// it, or the machine, may stand still.
func (e *Engine) alive(after int64) (seconds int) {
	for i := len(e.beats) - 1; i >= 0 && e.beats[i] >= after+second; i-- {
		seconds++
	}
	return seconds
}

// look hands a record to the findings that are made of its kind.
func (e *Engine) look(r trace.Record) {
	switch b := r.Body.(type) {
	case *trace.Request:
		if q := e.m.RequestAt(r.Seq); q != nil {
			if q.Actor.Who.Own() {
				e.beat(r.T)
			}
			call(e.onRequest, q)
		}
	case *trace.Version:
		if o := e.m.Object(b.Object); o != nil {
			if v := o.At(b.RV); v != nil && v.Seq == r.Seq {
				call(e.onVersion, v)
			}
		}
	case *trace.Event:
		if o := e.m.Object(b.Object); o != nil {
			d := &model.Delivery{Event: b, Seq: r.Seq, T: r.T}
			for _, f := range e.onDelivery {
				f(o, d)
			}
		}
	case *trace.Reconcile:
		e.lookAtReconcile(b, r)
	case *trace.Watch:
		if w := e.m.Watch(b.ID); w != nil {
			for _, f := range e.onWatch {
				f(w, b, r)
			}
		}
	case *trace.Queue:
		call2(e.onQueue, b, r)
	case *trace.Log:
		e.beat(r.T)
		call2(e.onLog, b, r)
	case *trace.KubeEvent:
		call2(e.onKubeEvent, b, r)
	case *trace.Metrics:
		e.beat(r.T)
		call2(e.onMetrics, b, r)
	case *trace.Admission:
		call2(e.onAdmission, b, r)
	case *trace.Rights:
		call2(e.onRights, b, r)
	case *trace.Gap:
		call2(e.onGap, b, r)
	}
}

// lookAtReconcile has begin called once for each reconcile, though a line may tell only of its end.
func (e *Engine) lookAtReconcile(b *trace.Reconcile, r trace.Record) {
	rec := e.m.Reconcile(b.ID)
	if rec == nil {
		return
	}
	if rec.Who == nil || rec.Who.Own() {
		e.beat(r.T)
	}
	if rec.Seq == r.Seq {
		call(e.onBegin, rec)
	}
	if b.State == "end" {
		call(e.onEnd, rec)
	}
}

func call[T any](all []func(T), t T) {
	for _, f := range all {
		f(t)
	}
}

func call2[T any](all []func(T, trace.Record), t T, r trace.Record) {
	for _, f := range all {
		f(t, r)
	}
}

// Findings returns all findings: those that are open first, by severity and certainty, and then in the order in which they appeared.
func (e *Engine) Findings() []trace.Finding {
	all := make([]trace.Finding, 0, len(e.findings))
	for _, f := range e.findings {
		all = append(all, f.Finding)
	}
	slices.SortFunc(all, func(a, b trace.Finding) int {
		if open := cmp.Compare(min(a.Until, 1), min(b.Until, 1)); open != 0 {
			return open
		}
		return cmp.Or(cmp.Compare(severity[a.Type], severity[b.Type]), cmp.Compare(grade(b.Certainty), grade(a.Certainty)), cmp.Compare(a.Since, b.Since), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Changes returns the findings that appeared or were resolved since it was called before.
func (e *Engine) Changes() (all []trace.Finding) {
	for _, id := range e.changed {
		if f := e.findings[id]; f != nil {
			all = append(all, f.Finding)
		}
	}
	e.changed = nil
	return all
}
