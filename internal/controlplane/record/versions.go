// SPDX-License-Identifier: Apache-2.0

package record

import (
	"cmp"
	"container/list"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/diff"
	"github.com/crdctl/crdctl/internal/trace/redact"
)

const (
	added    = "ADDED"
	modified = "MODIFIED"
	deleted  = "DELETED"
)

const (
	// A version is often delivered before the request that made it is answered. It waits for that request for
	// settleAlone at most, and for older versions of the object for settleKnown.
	settleAlone = 250 * time.Millisecond
	settleKnown = 25 * time.Millisecond
	// deleteMemory is how long an answered deletion waits for the version that it made.
	deleteMemory = 10 * time.Second
	// heldBytes and heldObjects bound the objects that are held to compare the next version with.
	heldBytes   = 32 << 20
	heldObjects = 50_000
)

// version is a version of an object that was seen, and waits until it can be recorded.
type version struct {
	uid    string
	rv     uint64
	t      int64 // when it was first seen
	due    int64
	typ    string // empty if it is not known
	by     string // request ID
	began  int64  // when that request began
	silent bool   // it is known, but not recorded
	guess  bool   // no answer proves by
	// baseline is a version that a client in this process listed: it is not recorded for that.
	baseline bool
	object   *object
	target   redact.Target
	id       trace.ObjectID
}

// held is an object as it was recorded last.
type held struct {
	uid    string
	rv     uint64
	t      int64
	body   encoded // with what is compared; empty if it is not known
	bodyRV uint64
	elem   *list.Element
}

// versions puts together what requests and deliveries show of objects, and records each version once, in order.
type versions struct {
	Options
	pending map[string][]*version // by UID
	held    map[string]*held
	lru     list.List // of *held, the last used first
	bytes   int
	deletes map[string]deletion // by UID
	// compared are the parts of the two objects that are being compared.
	compared struct{ before, after parts }
}

type deletion struct {
	by      string
	t       int64
	several bool // requests, of which any may have ended the object
}

func newVersions(o Options) versions {
	return versions{Options: o, pending: map[string][]*version{}, held: map[string]*held{}, deletes: map[string]deletion{}}
}

// existed reports whether a version of an object is known to have been there before t.
func (v *versions) existed(uid string, rv uint64, t int64) bool {
	if h := v.held[uid]; h != nil && h.rv == rv {
		return h.t < t
	}
	for _, p := range v.pending[uid] {
		if p.rv == rv {
			return p.t < t
		}
	}
	return false
}

// see notes a version.
func (v *versions) see(n *version) {
	if h := v.held[n.uid]; h != nil && n.rv <= h.rv {
		if n.rv < h.rv && n.by != "" && !n.silent { // too late to compare it
			v.Sink.AddAt(n.t, &trace.Version{Object: n.id, Type: cmp.Or(n.typ, modified), RV: n.rv, By: n.by})
		}
		return
	}
	n.due = n.t + int64(settleAlone)
	if n.by != "" || n.silent {
		n.due = n.t + int64(settleKnown)
	}
	all := v.pending[n.uid]
	i, found := slices.BinarySearchFunc(all, n.rv, func(p *version, rv uint64) int { return cmp.Compare(p.rv, rv) })
	if !found {
		v.pending[n.uid] = slices.Insert(all, i, n)
		return
	}
	p := all[i]
	p.t, p.due, p.by, p.began, p.silent = min(p.t, n.t), min(p.due, n.due), cmp.Or(p.by, n.by), cmp.Or(p.began, n.began), p.silent || n.silent
	p.baseline = p.baseline && n.baseline
	if p.typ != deleted && n.typ != "" {
		p.typ = n.typ
	}
	if p.object == nil || p.object.partial() {
		p.object = cmp.Or(n.object, p.object)
	}
}

// deleting notes that a request deleted an object, of which the answer did not tell the version.
func (v *versions) deleting(uid, by string, t int64) {
	before, several := v.deletes[uid]
	v.deletes[uid] = deletion{by, t, several && (before.several || before.by != by)}
}

// settle records the versions that waited long enough, or all.
func (v *versions) settle(now int64, all bool) {
	for uid, waiting := range v.pending {
		n := 0
		for n < len(waiting) && (all || v.ready(waiting[n], now)) {
			if n+1 < len(waiting) {
				waiting[n].claim(waiting[n+1])
			}
			v.record(waiting[n])
			n++
		}
		if n == len(waiting) {
			delete(v.pending, uid)
		} else {
			v.pending[uid] = waiting[n:]
		}
	}
	for uid, d := range v.deletes {
		if now-d.t > int64(deleteMemory) {
			delete(v.deletes, uid)
		}
	}
}

// claim takes the request of the next version for this one, too, if that ended the object and this one set the time of the deletion meanwhile:
// such a request makes both. Another one may have made the first, and be answered late.
func (n *version) claim(next *version) {
	if n.by == "" && next.typ == deleted && next.by != "" && n.t >= next.began && n.object != nil && n.object.Metadata.DeletionTimestamp != "" {
		n.by, n.guess = next.by, true
	}
}

func (v *versions) ready(n *version, now int64) bool {
	if d, ok := v.deletes[n.uid]; ok && n.by == "" && n.typ == deleted {
		n.by, n.guess = d.by, d.several
		delete(v.deletes, n.uid)
		return true
	}
	return now >= n.due
}

// record records one version.
func (v *versions) record(n *version) {
	h := v.held[n.uid]
	if h == nil {
		h = &held{uid: n.uid}
		h.elem = v.lru.PushFront(h)
		v.held[n.uid] = h
	} else {
		v.lru.MoveToFront(h.elem)
	}
	rec := &trace.Version{Object: n.id, Type: n.typ, RV: n.rv, By: n.by, Guessed: n.guess}
	if rec.Type == "" && h.rv == 0 && n.by == "" { // a request that added it would have set that
		rec.Type = added
	} else if rec.Type == "" {
		rec.Type = modified
	}
	h.rv, h.t = n.rv, n.t
	v.describe(rec, n, h)
	if n.typ == deleted { // the version stays, for what comes late
		v.hold(h, encoded{}, n.rv)
	}
	if !n.silent && (n.by != "" || !n.baseline) {
		v.Sink.AddAt(n.t, rec)
	}
	v.evict()
}

// describe fills in what the object tells, and holds it for the next version.
func (v *versions) describe(rec *trace.Version, n *version, h *held) {
	if n.object == nil || n.target.Dropped() {
		return
	}
	now := n.object.encoding()
	after, err := now.split(v.compared.after)
	if err != nil {
		return
	}
	v.compared.after = after
	m := &n.object.Metadata
	rec.Generation, rec.Finalizers, rec.Deleting, rec.Owners = m.Generation, m.Finalizers, m.DeletionTimestamp, m.Owners
	partial := n.object.partial()
	if partial {
		after.root = nil
	}
	comparable := h.body.raw != nil && (partial || h.body.apiVersion == now.apiVersion)
	if comparable && n.typ != deleted {
		before, err := h.body.split(v.compared.before)
		if err != nil {
			return
		}
		v.compared.before = before
		if partial {
			before.root = nil
		}
		was, is, err := v.unlike(n.target, h.body, now, before, after)
		if err != nil {
			return
		}
		changes := diff.Changes(was, is)
		rec.Prev = h.bodyRV
		rec.ManagedOnly = len(changes) == 0 && !partial
		rec.Changes = allowed(v.Bodies, changes)
	}
	if partial {
		return // the body of before is the better one to compare with
	}
	if !comparable && v.Bodies == trace.BodiesAll {
		if fields := v.prepared(n.target, n.object); fields != nil {
			rec.Full, _ = json.Marshal(fields) // nil for what JSON does not have
		}
	}
	v.hold(h, now.join(after), n.rv)
}

// unlike decodes what is not encoded alike in two objects of a resource.
func (v *versions) unlike(t redact.Target, before, after encoded, b, a parts) (was, is map[string]any, err error) {
	if before.protobuf == after.protobuf {
		if b, a = unlike(b, a); b.empty() && a.empty() {
			return nil, nil, nil
		}
	}
	decode := func(e encoded) (map[string]any, error) {
		fields, err := e.fields()
		if err != nil {
			return nil, err
		}
		fields["apiVersion"], fields["kind"] = after.apiVersion, after.kind // by which it is redacted
		if fields["metadata"] == nil {
			fields["metadata"] = map[string]any{} // all of it is alike
		}
		return v.redacted(t, fields), nil
	}
	if was, err = decode(before.join(b)); err == nil {
		is, err = decode(after.join(a))
	}
	return was, is, err
}

// prepared returns an object without what is not compared, and without what must not be recorded; nil if nothing is left.
func (o *Options) prepared(t redact.Target, from *object) map[string]any {
	fields, err := from.encoding().fields()
	if err != nil {
		return nil
	}
	return o.redacted(t, fields)
}

func (o *Options) redacted(t redact.Target, fields map[string]any) map[string]any {
	metadata, _ := fields["metadata"].(map[string]any)
	delete(metadata, "managedFields")
	fields, _ = o.Redact.Object(t, fields).(map[string]any)
	return fields
}

// allowed leaves of the changes what the level of bodies allows: without bodies, the values of fields that are neither
// metadata nor status are left out, and those of annotations that have a copy of such fields.
func allowed(bodies trace.Bodies, changes []trace.Change) []trace.Change {
	if bodies != trace.BodiesNone {
		return changes
	}
	for i, c := range changes {
		root, _, _ := strings.Cut(c.Path, ".")
		root, _, _ = strings.Cut(root, "[")
		annotation, below := strings.CutPrefix(c.Path, "metadata.annotations")
		switch {
		case root != "metadata" && root != "status", below && redact.Copies(strings.Trim(annotation, `.[]"`)):
			changes[i] = trace.Change{Path: c.Path}
		case below && annotation == "":
			changes[i].Old, changes[i].New = withoutCopies(c.Old), withoutCopies(c.New)
		}
	}
	return changes
}

// withoutCopies hides the copies of an object in all its annotations.
func withoutCopies(annotations json.RawMessage) json.RawMessage {
	var m map[string]any
	if json.Unmarshal(annotations, &m) != nil || !hideCopies(m) {
		return annotations
	}
	hidden, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return hidden
}

// hideCopies leaves the names of annotations that have a copy of the object, without their values, and reports whether there are any.
func hideCopies(annotations any) (hidden bool) {
	m, _ := annotations.(map[string]any)
	for name := range m {
		if redact.Copies(name) {
			m[name], hidden = nil, true
		}
	}
	return hidden
}

func (v *versions) hold(h *held, body encoded, rv uint64) {
	v.bytes += len(body.raw) - len(h.body.raw)
	h.body, h.bodyRV = body, rv
}

// evict drops the objects that were not seen for longest.
func (v *versions) evict() {
	for v.bytes > heldBytes || len(v.held) > heldObjects {
		h := v.lru.Remove(v.lru.Back()).(*held)
		delete(v.held, h.uid)
		v.bytes -= len(h.body.raw)
	}
}
