// SPDX-License-Identifier: Apache-2.0

// Package pipeline makes records of what the built-in loop does: what was queued and why, reconciles with all that led to them, calls of
// hooks, and what was decided on each child. What it records is what the loop did, never inferred.
//
// A nil *Trace, *Queue or *Reconcile records nothing and costs nothing: the loop calls them without asking. The package decides nothing, and
// does not know where records go.
package pipeline

import (
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/trace"
)

// The reasons for which a key is queued: trace.Queue.Why.
const (
	Own     = "own"
	Child   = "child"
	Related = "related"
	Resync  = "resync"
	Hook    = "hook"
	Shard   = "shard"
	Timer   = "timer"
	Retry   = "retry"
)

// Trace records what one loop does.
type Trace struct {
	sink   trace.Sink
	bodies trace.Bodies
	run    string // is part of all IDs: loops of several processes may be in one recording
	last   atomic.Int64

	mu    sync.RWMutex
	kinds map[kind]trace.ResourceID
}

type kind struct{ apiVersion, kind string }

// New returns nil for a sink that is nil. Questions and answers of hooks are recorded unless bodies is none.
func New(sink trace.Sink, bodies trace.Bodies) *Trace {
	if sink == nil {
		return nil
	}
	return &Trace{sink: sink, bodies: bodies, run: strings.ToLower(rand.Text()[:8]), kinds: map[kind]trace.ResourceID{}}
}

// id returns an ID that no other has. It has no dot: that divides a reconcile's ID from the number of its request.
func (t *Trace) id() string { return t.run + "-" + strconv.FormatInt(t.last.Add(1), 10) }

// Follow names a kind whose objects may be in records.
func (t *Trace) Follow(resource schema.GroupVersionResource, name string, namespaced bool) {
	if t == nil {
		return
	}
	id := t.sink.Defs().Resource(trace.Resource{
		Group: resource.Group, Version: resource.Version, Resource: resource.Resource, Kind: name, Namespaced: namespaced,
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kinds[kind{resource.GroupVersion().String(), name}] = id
}

// object returns the number of an object, 0 for none, and its version.
func (t *Trace) object(o *object.Object) (trace.ObjectID, uint64) {
	if o == nil || o.UID() == "" {
		return 0, 0
	}
	version, _ := strconv.ParseUint(o.ResourceVersion(), 10, 64) // one that is not a number is not known
	if id := t.sink.Defs().Lookup(string(o.UID())); id != 0 {
		return id, version
	}
	t.mu.RLock()
	resource := t.kinds[kind{o.APIVersion(), o.Kind()}]
	t.mu.RUnlock()
	return t.sink.Defs().Object(trace.Object{ // copies: parts of the object's text would keep all of it in memory
		UID: strings.Clone(string(o.UID())), Resource: resource, Namespace: strings.Clone(o.Namespace()), Name: strings.Clone(o.Name()),
	}), version
}

// Skip records a delivery that queues nothing, and why.
func (t *Trace) Skip(o *object.Object, why string) {
	if t == nil {
		return
	}
	r := &trace.Queue{Op: "skip", Why: why}
	r.Object, r.RV = t.object(o)
	t.sink.Add(r)
}

// Relist records that a kind is listed again, because of the end of its watch or of what was tried instead.
func (t *Trace) Relist(resource schema.GroupVersionResource, name, namespace, selector string, cause error) {
	if t == nil || cause == nil {
		return
	}
	t.mu.RLock()
	id := t.kinds[kind{resource.GroupVersion().String(), name}]
	t.mu.RUnlock()
	t.sink.Add(&trace.Watch{State: "retry", Resource: id, Namespace: namespace, Labels: selector, End: cause.Error()})
}

// text is a key in a record: a copy, or it would keep the object that it is a part of.
func text(key cache.ObjectName) string {
	if key.Namespace == "" {
		return strings.Clone(key.Name)
	}
	return key.String()
}
