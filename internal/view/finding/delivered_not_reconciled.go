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
		d := &unheard{base: b, waits: map[string]*wait{}}
		b.onDelivery = append(b.onDelivery, d.delivery)
		b.onBegin = append(b.onBegin, d.begin)
		b.onQueue = append(b.onQueue, d.queue)
		b.onRequest = append(b.onRequest, d.request)
		b.onVersion = append(b.onVersion, d.version)
		b.onTick = append(b.onTick, d.tick)
	},
}

const (
	unheardAfter = 3 * second
	unheardMax   = 1000
)

// unheard has the deliveries that should lead to a reconcile of an owner.
type unheard struct {
	base

	waits map[string]*wait // by subject
}

type wait struct {
	child, owner *model.Object
	who          *model.Who
	t            int64
	seqs         []int64
	controller   bool   // the owner reference has controller: true
	skipped      string // why the queue did not take it
}

func (d *unheard) delivery(o *model.Object, event *model.Delivery) {
	who := d.m.Actor(event.Actor).Who
	if event.Type != "DELETED" || !who.Own() || o.Newest() == nil {
		return
	}
	for _, ref := range o.Newest().Owners {
		owner := d.m.ByUID(ref.UID)
		if owner == nil || owner.Deleted || owner.Newest() != nil && owner.Newest().Deleting != "" || !d.m.IsWatching(who, model.GroupResource(owner.Resource())) {
			continue
		}
		if len(d.waits) < unheardMax {
			d.waits[o.String()] = &wait{
				child: o, owner: owner, who: who, t: event.T, seqs: []int64{o.Newest().Seq, event.Seq}, controller: ref.Controller,
			}
		}
	}
}

// begin ends what waited for a reconcile of the key.
func (d *unheard) begin(rec *model.Reconcile) {
	d.heard(func(w *wait) bool {
		return (rec.Object == w.owner || rec.Object == nil && rec.Key == w.owner.Key()) && rec.Began >= w.t-second/100
	})
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
	if len(d.waits) == 0 || !r.Actor.Who.Own() || r.Object == nil || d.isRecorded(r.Actor.Class) {
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
		if now-w.t < unheardAfter {
			continue
		}
		certainty, what := trace.Certain, "no reconcile of %s followed"
		if !d.isRecorded(w.who.Class) {
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
