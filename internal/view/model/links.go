// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
)

// Link grades how one record is known to belong to another. Proof is why, in a few words.
type Link struct {
	Certainty trace.Certainty
	Proof     string
}

var unknown = Link{Certainty: trace.Uncertain}

// certainly is for what a version, an ID or a hook proves. Nothing in infer.go may call it.
func certainly(proof string) Link { return Link{Certainty: trace.Certain, Proof: proof} }

// Delivered returns the deliveries of a version to an actor, or to all if w is nil. That they were handed over is
// certain; that the actor handled them is not.
func (v *Version) Delivered(m *Model, w *Who) (all []*Delivery) {
	for _, d := range v.Object.handed[v.RV] {
		if w == nil || m.Actor(d.Actor).Who == w {
			all = append(all, d)
		}
	}
	return all
}

// Base is the version that a write was decided on, as its resource version says. Patches and applies mostly have none.
func (r *Request) Base() (*Version, Link) {
	if r.RVIn == 0 || r.Object == nil {
		return nil, unknown
	}
	v := r.Object.At(r.RVIn)
	if v == nil {
		return nil, unknown
	}
	return v, certainly("the request has this resource version")
}

// OnOwn reports whether a write was decided on a version that the same actor wrote.
func (r *Request) OnOwn() bool {
	v, _ := r.Base()
	return v != nil && v.Request != nil && v.Request.Actor.Who == r.Actor.Who
}

// Winner is the version because of which a write was refused as a conflict: the first after the one that it was decided
// on. Its Request, if it is known, is the one that won.
func (r *Request) Winner() (*Version, Link) {
	if !r.Conflict() || r.RVIn == 0 || r.Object == nil {
		return nil, unknown
	}
	v := r.Object.After(r.RVIn)
	switch {
	case v == nil || v.T > r.T && v.Writer.Certainty == trace.Uncertain:
		return nil, unknown
	case v.Prev == r.RVIn:
		return v, certainly("it is the first version after the one that was sent")
	}
	return v, Link{trace.Likely, "it is the first known version after the one that was sent"}
}

// Lag says why a write was decided on an old version.
type Lag string

// The lags. The watch of the actor had handed over a newer version when the request began, or it had not; or the actor
// had no watch of the resource, or only ones that need not be for the object, such as those with a selector. It is not known either where
// the request began while the version was handed over.
const (
	LagCache   Lag = "cache"
	LagWatch   Lag = "watch"
	LagNoWatch Lag = "no watch"
	LagUnknown Lag = "unknown"
)

// Read is the request by which the actor of a write read the version that the write was decided on, past its caches; nil if none is held of the
// minute before.
func (m *Model) Read(r *Request) *Request {
	if r.RVIn == 0 || r.Object == nil {
		return nil
	}
	for _, read := range slices.Backward(m.recent) {
		switch {
		case read.T < r.Began-int64(time.Minute):
			return nil
		case read.Verb == "get" && read.RVOut == r.RVIn && read.Object == r.Object && read.T <= r.Began && read.Actor.Who == r.Actor.Who:
			return read
		}
	}
	return nil
}

// Stale reports why a write was decided on a version that was not the newest, and the delivery of a newer one to the
// actor: before the request began with LagCache, after with LagWatch, where it may be nil. It is "" where nothing shows
// that the write was stale.
func (m *Model) Stale(r *Request) (Lag, *Delivery) {
	if r.RVIn == 0 || r.Object == nil {
		return "", nil
	}
	if v := r.Object.After(r.RVIn); v == nil || v.Request != nil && v.Request.T > r.T || v.Request == r {
		return "", nil
	}
	for _, d := range r.Object.Deliveries {
		if d.RV > r.RVIn && m.Actor(d.Actor).Who == r.Actor.Who {
			switch {
			case d.T <= r.Began:
				return LagCache, d
			case d.Earliest() <= r.Began:
				return LagUnknown, d
			}
			return LagWatch, d
		}
	}
	switch {
	case !m.IsWatching(r.Actor.Who, GroupResource(r.Resource)):
		return LagNoWatch, nil
	case m.watchesAll(r.Actor.Who, r.Object):
		return LagWatch, nil
	}
	return LagUnknown, nil
}

func below(path, above string) bool {
	return len(path) > len(above) && path[:len(above)] == above && (path[len(above)] == '.' || path[len(above)] == '[')
}

// ReconcileOf returns the reconcile that sent a request, or nil.
func (m *Model) ReconcileOf(r *Request) (*Reconcile, Link) {
	if id := reconcileID(r.ID); id != "" {
		if rec := m.reconciles[id]; rec != nil {
			return rec, certainly("the audit ID of the request has the ID of the reconcile")
		}
		return nil, unknown
	}
	return m.inferReconcile(r)
}

// ReconcileOfEvent returns the reconcile that a Kubernetes event recorded at t is from, or nil.
func (m *Model) ReconcileOfEvent(b *trace.KubeEvent, t int64) (*Reconcile, Link) {
	sent := m.requests[b.Request]
	if sent == nil || b.Request == "" {
		return m.inferReconcileOfEvent(b, t)
	}
	if id := reconcileID(sent.ID); m.reconciles[id] != nil {
		return m.ReconcileOf(sent)
	}
	return m.inferReconcileOfEvent(b, sent.Began)
}

// SentIn returns the requests of a reconcile, by Seq, and how that is known.
func (m *Model) SentIn(r *Reconcile) ([]*Request, Link) {
	if sent := m.prefixes[r.ID]; len(sent) > 0 {
		return sent, certainly("the audit IDs of the requests have the ID of the reconcile")
	}
	return m.inferSent(r)
}

// Cause is one reason for a reconcile.
type Cause struct {
	trace.Cause

	Version  *Version  // whose delivery it is; nil if it is not held
	Delivery *Delivery // nil if it is not known
}

// Causes returns why a reconcile began: what was recorded, or else what was delivered for its key since the reconcile
// before. It is a set: a work queue keeps a key once, however often it is added.
func (m *Model) Causes(r *Reconcile) (all []Cause) {
	if len(r.Causes) == 0 {
		return m.inferCauses(r)
	}
	for _, c := range r.Causes {
		cause := Cause{Cause: c}
		if r.Source == "log" && c.Certainty == trace.Certain {
			cause.Certainty = trace.Likely
		}
		if o := m.objects[c.Object]; o != nil && c.RV != 0 {
			cause.Version = o.At(c.RV)
			for _, d := range o.handed[c.RV] {
				if d.Earliest() <= r.Began && (r.Who == nil || m.Actor(d.Actor).Who == r.Who) {
					cause.Delivery = d
				}
			}
		}
		all = append(all, cause)
	}
	return all
}

// Lines returns the log lines of a reconcile, by Seq. The certainty of each is in its record: an ID on the line proves
// it, a key does not.
func (m *Model) Lines(r *Reconcile) []*Log { return m.logsOf[r.ID] }
