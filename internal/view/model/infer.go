// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/crdctl/crdctl/internal/trace"
)

// This file has all guesses. Package finding's tests hold that nothing here is graded better than likely.

// pause is how long a controller may be silent between two requests of a reconcile; lateness is by how much a line that
// was printed may be read later than a request is recorded.
const (
	pause    = int64(100e6)
	lateness = int64(5e6)

	// settle is for how long a request waits until it is put into a reconcile: its version, which has the owner of what it
	// created, and requests that began before may be recorded after it.
	settle = int64(200e6)

	// backOff is how long work queues of client-go and controller-runtime wait at least until they try a key again, but for the precision of lines.
	backOff = int64(4e6)

	// longestBackOff is what those waits grow to, and busy is for how long a key may wait in the queue after that.
	longestBackOff = int64(1000e9)
	busy           = int64(60e9)
)

func likely(format string, args ...any) Link {
	return Link{Certainty: trace.Likely, Proof: fmt.Sprintf(format, args...)}
}

// KeyLink is a key that a delivery may have been mapped to.
type KeyLink struct {
	Object *Object // whose key it is
	Why    string  // own or child
	Link
}

// KeysOf returns the keys that a delivery may lead to: the object's own, and that of its controller owner if the actor
// watches such objects. Predicates may drop it, and functions that map to other keys are not known.
func (m *Model) KeysOf(d *Delivery) (all []KeyLink) {
	o := m.objects[d.Object]
	if o == nil {
		return nil
	}
	who := m.Actor(d.Actor).Who
	if owner := o.Controller(); owner != nil {
		if parent := m.byUID[owner.UID]; parent != nil && m.Sees(who, parent) {
			all = append(all, KeyLink{parent, "child", likely("%s is its controller owner, and watched", parent)})
		}
	}
	return append(all, KeyLink{o, "own", likely("same key")})
}

// inferDelete links the end of an object with a request to delete it, whose answer does not have the last version.
func (m *Model) inferDelete(v *Version) {
	for _, r := range slices.Backward(m.recent) {
		if v.T-r.T > int64(10e9) {
			return
		}
		if r.Verb == "delete" && r.OK() && r.Object == v.Object && r.Version == nil {
			m.join(v, r, likely("it asked to delete the object"))
			return
		}
	}
}

type inferredKey struct {
	who  *Who
	root *Object
}

// root is the object whose key a request is probably about.
func (m *Model) root(o *Object) *Object {
	if o == nil {
		return nil
	}
	if owner := o.Controller(); owner != nil {
		if parent := m.byUID[owner.UID]; parent != nil {
			return parent
		}
	}
	return o
}

// await has a request inferred later, in the order in which requests began.
func (m *Model) await(r *Request) {
	if !r.Actor.Who.Own() || r.Verb == "list" || r.Verb == "watch" || ByDesign(r.Resource) {
		return
	}
	i := len(m.waiting)
	for i > 0 && m.waiting[i-1].Began > r.Began {
		i--
	}
	m.waiting = slices.Insert(m.waiting, i, r)
}

// ByDesign reports whether objects of a resource are written again and again, by other parts of a controller than its reconciles.
func ByDesign(r *trace.Resource) bool {
	return r.Resource == "events" || r.Group == "coordination.k8s.io"
}

// inferUntil infers the requests that were answered until a time.
func (m *Model) inferUntil(t int64) {
	n := 0
	for n < len(m.waiting) && m.waiting[n].T <= t {
		m.infer(m.waiting[n])
		n++
	}
	if n > 0 {
		m.waiting = keepTail(m.waiting, n)
	}
}

// infer puts a request of a controller whose reconciles are not recorded into a reconcile: the one of the same key that
// sent something just before, unless it had sent the same already; a controller that reads from caches sends each write
// once.
func (m *Model) infer(r *Request) {
	if r.Object == nil && r.Name != "" {
		r.Object = m.ByName(GroupResource(r.Resource), r.Namespace, r.Name)
	}
	if m.Visible(r.Actor.Class) || r.Object == nil || r.inferred != nil {
		return
	}
	k := inferredKey{r.Actor.Who, m.root(r.Object)}
	rec := m.inferred[k]
	if rec == nil || r.Began-rec.Ended > pause {
		rec = m.only(r, k.root)
	}
	if rec == nil || rec.repeats(r) {
		m.inferredN++
		rec = &Reconcile{
			ID: fmt.Sprintf("~%d", m.inferredN), Controller: r.Actor.Name, Key: k.root.Key(), Who: k.who, Object: k.root,
			Source: SourceInferred, Began: r.Began, Seq: r.Seq,
		}
		m.inferred[k] = rec
		m.reconciles[rec.ID] = rec
		key := Key{rec.Controller, rec.Key}
		m.keys[key] = append(m.keys[key], rec)
		m.controllers[key.Controller] = true
	}
	rec.Ended, rec.EndSeq = max(rec.Ended, r.T), r.Seq
	rec.requests = append(rec.requests, r)
	r.inferred = rec
}

// only is the one reconcile of another kind that an actor has sent something in just before, or nil.
func (m *Model) only(r *Request, root *Object) (found *Reconcile) {
	if root != r.Object {
		return nil
	}
	for _, before := range slices.Backward(m.recent) {
		if r.Began-before.T > pause {
			return found
		}
		rec := before.inferred
		if rec == nil || before.Actor.Who != r.Actor.Who || rec.Object.Resource() == r.Resource {
			continue
		}
		if found != nil && found != rec {
			return nil
		}
		found = rec
	}
	return found
}

// repeats reports whether a reconcile has sent a request like r already, other than one to try again after a conflict.
func (r *Reconcile) repeats(next *Request) bool {
	for _, sent := range slices.Backward(r.requests) {
		if sent.Verb == next.Verb && sent.Object == next.Object && sent.Subresource == next.Subresource {
			return !sent.Conflict() && next.Verb != "get"
		}
	}
	return false
}

// inferReconcile finds the reconcile of a request without an ID: the one of its key that ran, as lines of the log say,
// or one that was put together of requests.
func (m *Model) inferReconcile(r *Request) (*Reconcile, Link) {
	if r.inferred == nil && slices.Contains(m.waiting, r) {
		m.inferUntil(r.T)
	}
	if r.inferred != nil {
		return r.inferred, likely("same key, and no pause before it")
	}
	if !r.Actor.Who.Own() || r.Object == nil {
		return nil, unknown
	}
	root := m.root(r.Object)
	for _, rec := range m.reconcilesOf(root) {
		if rec.Source == "log" && rec.ran(r.Began) && (rec.Who == nil || rec.Who == r.Actor.Who) {
			return rec, likely("same key, sent while it ran")
		}
	}
	return nil, unknown
}

// inferReconcileOfEvent finds the reconcile of the key of a Kubernetes event that ran when it was sent, or just before: recorders of events send
// them from a goroutine of their own.
func (m *Model) inferReconcileOfEvent(b *trace.KubeEvent, t int64) (newest *Reconcile, _ Link) {
	who, root := m.Actor(b.Actor).Who, m.root(m.objects[b.Object])
	if root == nil || !who.Own() {
		return nil, unknown
	}
	for _, rec := range m.reconcilesOf(root) {
		if t < rec.Began-lateness || rec.Ended != 0 && t > rec.Ended+pause || rec.Who != nil && rec.Who != who {
			continue
		}
		if newest == nil || rec.Began > newest.Began {
			newest = rec
		}
	}
	if newest == nil {
		return nil, unknown
	}
	return newest, likely("same key, sent while it ran or just after")
}

// ran reports whether it ran at a time.
func (r *Reconcile) ran(t int64) bool {
	return t >= r.Began-lateness && (r.Ended == 0 || t <= r.Ended)
}

// reconcilesOf returns the reconciles whose key is an object's.
func (m *Model) reconcilesOf(o *Object) (all []*Reconcile) {
	for controller := range m.controllers {
		for _, r := range m.keys[Key{controller, o.Key()}] {
			if r.Object == o || r.Object == nil {
				all = append(all, r)
			}
		}
	}
	return all
}

// inferSent returns the requests that were sent while a reconcile ran, and are about its key.
func (m *Model) inferSent(r *Reconcile) (all []*Request, _ Link) {
	switch r.Source {
	case SourceInferred:
		return r.requests, likely("same key, and no pause between them")
	case "log":
	default:
		return nil, unknown
	}
	for _, sent := range m.recent {
		if sent.Actor.Who.Own() && sent.Object != nil && r.ran(sent.Began) && m.root(sent.Object).Key() == r.Key {
			all = append(all, sent)
		}
	}
	return all, likely("same key, sent while it ran")
}

// inferCauses returns what was delivered for the key between the begin of the reconcile before and that of r.
func (m *Model) inferCauses(r *Reconcile) (all []Cause) {
	if r.Object == nil {
		return nil
	}
	after := int64(0)
	if p := m.Previous(r); p != nil {
		after = p.Began
	}
	collect := func(o *Object, why string) {
		for _, d := range slices.Backward(o.Deliveries) {
			if d.T <= after {
				return
			}
			who := m.Actor(d.Actor).Who
			if d.Earliest() > r.Began+lateness || !who.Own() || r.Who != nil && who != r.Who {
				continue
			}
			l := likely("same key, delivered %s before", Duration(r.Began-d.Earliest()))
			all = append(all, Cause{Cause: trace.Cause{Why: why, Object: d.Object, RV: d.RV, Certainty: l.Certainty, Proof: l.Proof}, Version: o.At(d.RV), Delivery: d})
		}
	}
	collect(r.Object, "own")
	for _, child := range m.Owned(r.Object) {
		if c := child.Controller(); c != nil && c.UID == r.Object.UID {
			collect(child, "child")
		}
	}
	slices.SortFunc(all, func(a, b Cause) int { return cmp.Compare(a.Delivery.Seq, b.Delivery.Seq) })
	if p := m.Previous(r); len(all) == 0 && p != nil && p.Ended != 0 {
		return p.again(r.Began - p.Ended)
	}
	return all
}

// again is why a reconcile after which nothing was delivered was followed by another, some time later.
func (r *Reconcile) again(wait int64) []Cause {
	because := func(why string, l Link) []Cause {
		return []Cause{{Cause: trace.Cause{Why: why, Certainty: l.Certainty, Proof: l.Proof}}}
	}
	switch {
	case r.After > 0 && wait >= r.After-r.After/20 && wait <= r.After+busy:
		return because("timer", likely("the reconcile before asked to run again after %s", Duration(r.After)))
	case r.Failed() && wait >= backOff && wait <= longestBackOff+busy:
		return because("retry", likely("the reconcile before failed"))
	}
	return nil
}

func (m *Model) forgetInferred(before int64) {
	for k, rec := range m.inferred {
		if rec.EndSeq < before {
			delete(m.inferred, k)
		}
	}
	for _, rec := range m.reconciles {
		if rec.Source == SourceInferred && rec.EndSeq < before {
			m.drop(rec)
		}
	}
}
