// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/object"
)

// Reconciler brings the world in line with one object. An error means that it is to be tried again later. The queue
// never hands out one key twice at a time, but different keys are reconciled concurrently.
type Reconciler interface {
	Reconcile(context.Context, Request) (Result, error)
	// Forget drops what is remembered of an object that is gone and was another replica's to work on at the end.
	Forget(cache.ObjectName)
	// Keeps says how much of the objects has to be in memory.
	Keeps() Keeping
	// Resyncs tells that reconciling an object that did not change makes sense.
	Resyncs() bool
}

// Keeping is how much of its kind's objects a reconciler reads.
type Keeping uint8

const (
	// KeepsWhole has whole objects in memory.
	KeepsWhole Keeping = iota
	// KeepsUntilReconciled has an object's content in memory until it was reconciled, and then its identity only.
	KeepsUntilReconciled
	// KeepsIdentity has no content in memory, and does not have the API server send it.
	KeepsIdentity
)

// Request is one reconcile: which object, and its last known state. Object is nil if it was deleted.
type Request struct {
	Kind   Kind
	Key    cache.ObjectName
	Object *object.Object
}

// Result is what came of a reconcile that did not fail.
type Result struct {
	// After asks for another one after this time; 0 does not.
	After time.Duration
	// Quiet leaves the event Synced out: nothing came of it that the readers of the object would want to know.
	Quiet bool
}

// ObjectReference points an event at an object.
type ObjectReference = corev1.ObjectReference

// Handle is what a reconciler of a kind is made with.
type Handle struct {
	Kind Kind
	// Client makes requests of any group and version, by absolute path.
	Client rest.Interface
	// Record writes an event. It never waits.
	Record func(about ObjectReference, eventType, reason, message string)
	// Enqueue has an object reconciled, because of a version of another one. Why is for the record, as in package pipeline.
	Enqueue func(key cache.ObjectName, why string, o *object.Object)
	// Skip records that a version of another object has none reconciled, and why.
	Skip func(o *object.Object, why string)
	// Get is the last known state of an object of the kind, nil if there is none.
	Get func(cache.ObjectName) *object.Object
	// Follow returns the feeds of another kind, in the namespaces of the loop, which are shared with all who ask for the
	// same source. Before the workers start they are waited for; those followed later, the reconciler waits for by itself.
	Follow func(informer.Source, informer.Handler) informer.Set
}

// Maker makes the reconciler of a kind.
type Maker func(Handle) (Reconciler, error)
