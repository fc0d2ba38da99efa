// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
)

// SourceInferred is the Source of a reconcile that was not recorded: the requests of a controller without a hook and
// without lines about its reconciles were put together by time and key. It has no result, and its begin is that of its
// first request.
const SourceInferred = "inferred"

// Key is a key of a controller's work queue.
type Key struct{ Controller, Key string }

// Reconcile is a reconcile that began.
type Reconcile struct {
	ID         string
	Controller string
	Key        string
	Who        *Who    // nil if it is not known
	Object     *Object // nil if it is not known
	Source     string  // hook, log, loop or inferred

	Began, Ended int64 // T; Ended is 0 while it runs
	NoBegin      bool  // only its end is recorded, as by controllers that print errors alone: Began is when it ended
	Waited       int64
	Result       string // empty while it runs, and of inferred ones
	After        int64
	Next         int64 // T at which its queue said that it hands out the key again; 0 if that is not recorded
	Err          string
	Causes       []trace.Cause // as recorded; Model.Causes has more
	Seq, EndSeq  int64         // of the records of begin and end; the first and the last request of inferred ones

	requests []*Request // of inferred ones
	of       string     // KIND or KIND.GROUP of Object, where that was not defined yet
}

// Took is how long it worked, or 0 while it runs.
func (r *Reconcile) Took() int64 { return max(0, r.Ended-r.Began) }

func (m *Model) addReconcile(rec trace.Record, b *trace.Reconcile) {
	r := m.reconciles[b.ID]
	if r == nil {
		r = &Reconcile{ID: b.ID, Controller: b.Controller, Key: b.Key, Source: b.Source, Began: b.Began, Seq: rec.Seq}
		if r.Began == 0 {
			r.Began, r.NoBegin = rec.T, true
		}
		m.reconciles[b.ID] = r
		k := Key{b.Controller, b.Key}
		i, _ := slices.BinarySearchFunc(m.keys[k], r, func(a, b *Reconcile) int { return cmp.Compare(a.Began, b.Began) })
		m.keys[k] = slices.Insert(m.keys[k], i, r)
		m.controllers[b.Controller] = true
	}
	switch {
	case m.objects[b.Object] != nil:
		r.Object = m.objects[b.Object]
		m.keyed[b.Controller] = r.Object.resource
	case r.Object == nil && b.Of != "":
		r.of = b.Of
		r.Object = m.named(r.of, b.Key)
	case r.Object == nil && m.keyed[b.Controller] != nil: // as of another reconcile that names its object
		r.of = kindOf(m.keyed[b.Controller])
		r.Object = m.named(r.of, b.Key)
	}
	if b.Actor != 0 {
		r.Who = m.Actor(b.Actor).Who
	}
	r.Waited = max(r.Waited, b.Waited)
	if len(b.Causes) > 0 {
		r.Causes = b.Causes
	}
	if b.State == "end" {
		r.Ended, r.EndSeq, r.Result, r.After, r.Err = rec.T, rec.Seq, b.Result, b.After, b.Err
	}
	m.see(b)
}

func kindOf(r *trace.Resource) string { return strings.TrimSuffix(r.Kind+"."+r.Group, ".") }

// nameReconciles links an object that has just been defined with the reconciles of its key. A controller can have told of them before
// the delivery that led to them was recorded.
func (m *Model) nameReconciles(o *Object) {
	for controller := range m.controllers {
		for _, r := range slices.Backward(m.keys[Key{controller, o.Key()}]) {
			if r.Began < m.now-settle {
				break
			}
			if r.Object == nil && r.of == kindOf(o.resource) {
				r.Object = o
			}
		}
	}
}

// addQueue notes when a key is handed out again after its newest reconcile.
func (m *Model) addQueue(rec trace.Record, b *trace.Queue) {
	all := m.keys[Key{b.Controller, b.Key}]
	if len(all) == 0 {
		return
	}
	switch newest := all[len(all)-1]; {
	case b.Op == "forget":
		newest.Next = 0
	case (b.Op == "after" || b.Op == "rateLimited") && b.Delay > 0:
		newest.Next = rec.T + b.Delay
	}
}

// named returns the newest object of a kind, KIND or KIND.GROUP, with a key; nil if it is not held.
func (m *Model) named(kind, key string) *Object {
	kind, group, _ := strings.Cut(kind, ".")
	namespace, name, found := strings.Cut(key, "/")
	if !found {
		namespace, name = "", key
	}
	for r := range m.Resources() {
		if r.Kind != kind || r.Group != group {
			continue
		}
		if o := m.ByName(GroupResource(r), namespace, name); o != nil {
			return o
		}
	}
	return nil
}

// Failed reports whether it ended with an error or a panic.
func (r *Reconcile) Failed() bool { return r.Result == "error" || r.Result == "panic" }

// see notes how far reconciles of a class of actors are recorded. Lines about errors alone do not show the others.
func (m *Model) see(b *trace.Reconcile) {
	class := trace.ClassController
	switch {
	case b.Actor != 0:
		class = m.Actor(b.Actor).Class
	case b.Source == "loop":
		class = trace.ClassBuiltin
	}
	if b.Source != "log" {
		m.visible[class] = trace.Certain
	} else if m.visible[class] != trace.Certain {
		if m.visible[class] = trace.Likely; b.State == "begin" || b.Result != "error" && b.Result != "panic" {
			m.visible[class] = trace.Certain
		}
	}
}

// Visible reports whether each reconcile of a class of actors is recorded. If not, one that sends nothing is invisible.
func (m *Model) Visible(c trace.Class) bool { return m.visible[c] == trace.Certain }

// Reconcile returns a reconcile that is held, or nil.
func (m *Model) Reconcile(id string) *Reconcile { return m.reconciles[id] }

// Reconciles returns the reconciles of a key, by begin. The caller must not change the slice.
func (m *Model) Reconciles(k Key) []*Reconcile { return m.keys[k] }

// Keys returns the keys that have reconciles, in no order.
func (m *Model) Keys() []Key { return slices.Collect(maps.Keys(m.keys)) }

// Previous is the reconcile of the same key before r, or nil.
func (m *Model) Previous(r *Reconcile) *Reconcile {
	all := m.keys[Key{r.Controller, r.Key}]
	for i := len(all) - 1; i > 0; i-- { // mostly one of the last
		if all[i] == r {
			return all[i-1]
		}
	}
	return nil
}

func (m *Model) forgetReconcile(b *trace.Reconcile) {
	r := m.reconciles[b.ID]
	if r == nil || b.State != "end" {
		return
	}
	m.drop(r)
	delete(m.logsOf, b.ID)
}

func (m *Model) drop(r *Reconcile) {
	delete(m.reconciles, r.ID)
	k := Key{r.Controller, r.Key}
	if i := slices.Index(m.keys[k], r); i == 0 { // as a rule: what is forgotten is the oldest
		m.keys[k] = keepTail(m.keys[k], 1)
	} else if i > 0 {
		m.keys[k] = slices.Delete(m.keys[k], i, i+1)
	}
	if len(m.keys[k]) == 0 {
		delete(m.keys, k)
	}
}
