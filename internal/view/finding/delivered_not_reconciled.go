// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var deliveredNotReconciled = &Type{
	Name:  "delivered-not-reconciled",
	Means: "the end of an owned object was delivered to the controller, and its owner was not reconciled within 3 seconds",
	Fix:   "set the owner reference with controllerutil.SetControllerReference, or map the event to the owner's key with Watches",
	needs: []trace.Kind{trace.KindEvent, trace.KindReconcile, trace.KindQueue},
	install: func(b base) {
		d := &unheard{base: b, waits: map[string]*wait{}, works: map[string]*working{}}
		b.onDelivery = append(b.onDelivery, d.delivery)
		b.onBegin = append(b.onBegin, d.begin)
		b.onEnd = append(b.onEnd, d.end)
		b.onQueue = append(b.onQueue, d.queue)
		b.onRequest = append(b.onRequest, d.request)
		b.onVersion = append(b.onVersion, d.version)
		b.onTick = append(b.onTick, d.tick)
	},
}

const (
	unheardAfter  = 3 * second
	unheardLonger = 10 * second // of a controller that does nothing else meanwhile, as far as is recorded
	unheardMax    = 1000

	unheardEndless = 60 * second // a reconcile that takes longer has probably no end
)

// unheard has the deliveries that should lead to a reconcile of an owner.
//
// That a reconcile has not begun yet does not mean that it will not: the key waits in a queue behind others, or the controller waits for a
// processor. So the controller must have been seen alive since, and its queue must have come further than the key.
type unheard struct {
	base

	waits map[string]*wait    // by subject
	works map[string]*working // by the resource of what is reconciled
}

// working is what reconciles of one resource do.
type working struct {
	running map[model.Key]*model.Reconcile // the newest of each key: one that it replaces was cut off
	ended   int64                          // the newest
}

// begin notes that a reconcile runs. Of too many, the oldest was cut off.
func (w *working) begin(rec *model.Reconcile) {
	w.running[model.Key{Controller: rec.Controller, Key: rec.Key}] = rec
	if len(w.running) <= unheardMax {
		return
	}
	oldest := rec
	for _, other := range w.running {
		if other.Began < oldest.Began {
			oldest = other
		}
	}
	w.end(oldest)
}

func (w *working) end(rec *model.Reconcile) {
	if k := (model.Key{Controller: rec.Controller, Key: rec.Key}); w.running[k] == rec {
		delete(w.running, k)
	}
}

type wait struct {
	child, owner *model.Object
	who          *model.Who
	t            int64
	seqs         []int64
	controller   bool   // the owner reference has controller: true
	older        bool   // that the controller made the child is not recorded
	passed       bool   // a key that was queued later was reconciled
	skipped      string // why the queue did not take it
}

func (d *unheard) delivery(o *model.Object, event *model.Delivery) {
	who := d.m.Actor(event.Actor).Who
	if event.Type != "DELETED" || !who.Own() || o.Newest() == nil {
		return
	}
	made, older := madeBy(o, who)
	if !made {
		return // it is only read, and who made it wanted the garbage collector to delete it
	}
	for _, ref := range o.Newest().Owners {
		owner := d.m.ByUID(ref.UID)
		if owner == nil || d.IsRecorded(who.Class) && d.works[model.GroupResource(owner.Resource())] == nil || owner.Deleted || owner.Newest() != nil && owner.Newest().Deleting != "" || !d.m.Sees(who, owner) || d.absent(o, ref) != "" { // invalid-owner has that
			continue
		}
		if len(d.waits) < unheardMax {
			d.waits[o.String()] = &wait{
				child: o, owner: owner, who: who, t: event.T, seqs: []int64{o.Newest().Seq, event.Seq}, controller: ref.Controller,
				older: older,
			}
		}
	}
}

// madeBy reports whether a client made an object, or may have: its first version is older than what is recorded. One that only labels what
// another made, such as a pod of a Deployment, leaves it to that one's owner.
func madeBy(o *model.Object, who *model.Who) (made, older bool) {
	for _, v := range o.Versions {
		if v.Request != nil && v.Type == "ADDED" {
			return v.Request.Actor.Who == who, false
		}
	}
	return true, true
}

// begin ends what waited for a reconcile of the key. A key that is reconciled twice after a delivery was queued after it the second time.
func (d *unheard) begin(rec *model.Reconcile) {
	if rec.Who != nil && !rec.Who.Own() {
		return
	}
	if rec.Object != nil {
		of := model.GroupResource(rec.Object.Resource())
		if d.works[of] == nil {
			d.works[of] = &working{running: map[model.Key]*model.Reconcile{}}
		}
		d.works[of].begin(rec)
		before := d.m.Previous(rec)
		for _, w := range d.waits {
			if w.owner.Resource() == rec.Object.Resource() && before != nil && before.Ended > w.t+second {
				w.passed = true
			}
		}
	}
	d.heard(func(w *wait) bool {
		return (rec.Object == w.owner || rec.Object == nil && rec.Key == w.owner.Key()) && rec.Began >= w.t-second/100
	})
}

func (d *unheard) end(rec *model.Reconcile) {
	if rec.Object == nil {
		return
	}
	if w := d.works[model.GroupResource(rec.Object.Resource())]; w != nil {
		w.end(rec)
		w.ended = max(w.ended, rec.Ended)
	}
}

// busy reports whether other keys may have kept the controller from the one that is waited for. Reconciles of an older build were cut off. One
// without an end keeps it for a while only: its end may be missing, as that of a process that crashed. Then it is not certain that it does not.
func (d *unheard) busy(w *wait, now int64) (busy, endless bool) {
	at := d.works[model.GroupResource(w.owner.Resource())]
	if at == nil {
		return false, false
	}
	for key, rec := range at.running {
		switch {
		case d.m.BuildAt(rec.Began) < d.m.BuildAt(now), at.ended > rec.Began+unheardLonger: // others go on
			delete(at.running, key)
		case now-rec.Began > unheardEndless:
			endless = true
		default:
			busy = true
		}
	}
	return busy || now-at.ended < second, endless
}

func (d *unheard) queue(q *trace.Queue, r trace.Record) {
	if len(d.waits) == 0 {
		return
	}
	if q.Op == "skip" {
		if o := d.m.Object(q.Object); o != nil && d.waits[o.String()] != nil {
			d.waits[o.String()].skipped = q.Why
		}
		return
	}
	if q.Op == "add" {
		d.heard(func(w *wait) bool { return q.Key == w.owner.Key() && r.T >= w.t-second/100 })
	}
}

// request stands for a reconcile where these are not recorded.
func (d *unheard) request(r *model.Request) {
	if len(d.waits) == 0 || !r.Actor.Who.Own() || r.Object == nil || d.IsRecorded(r.Actor.Class) {
		return
	}
	controller := r.Object.Controller()
	d.heard(func(w *wait) bool {
		return w.who == r.Actor.Who && r.Began >= w.t && (r.Object == w.owner || controller != nil && controller.UID == w.owner.UID)
	})
}

// version ends what waited for an owner that is gone, or whose child is back.
func (d *unheard) version(v *model.Version) {
	if len(d.waits) == 0 {
		return
	}
	d.heard(func(w *wait) bool {
		return v.Object == w.owner && (v.Type == "DELETED" || v.Deleting != "") || v.Type == "ADDED" && v.T > w.t && v.Object.String() == w.child.String()
	})
}

func (d *unheard) heard(by func(*wait) bool) {
	for subject, w := range d.waits {
		if by(w) {
			delete(d.waits, subject)
			d.resolve(subject)
		}
	}
}

func (d *unheard) tick(now int64) {
	for subject, w := range d.waits {
		alive := w.skipped != "" || w.passed || d.alive(w.t) >= 2
		busy, endless := d.busy(w, now)
		if now-w.t < unheardAfter || !w.passed && busy || !alive && now-w.t < unheardLonger {
			continue
		}
		certainty, what := trace.Certain, "no reconcile of %s followed"
		if w.older || !alive || endless && !w.passed {
			certainty = trace.Likely
		}
		if !d.IsRecorded(w.who.Class) {
			certainty, what = trace.Likely, "no request about %s followed (reconciles that send nothing are not visible)"
		}
		message := fmt.Sprintf("DELETED of %s was delivered to %s, "+what, w.child, w.who.Name, w.owner)
		switch {
		case w.skipped != "":
			message += ": it was not queued, " + w.skipped
		case !w.controller:
			message += ": the owner reference has no controller: true"
		}
		d.report(trace.Finding{Subject: subject, Since: w.t, Message: message, Certainty: certainty, Evidence: evidence(w.seqs...)}, w.t)
	}
}
