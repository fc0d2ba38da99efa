package loop

import (
	"context"

	"k8s.io/client-go/tools/cache"
)

// Reconciler brings the world in line with one object. An error means that it is to be tried again later. The queue
// never hands out one key twice at a time, but different keys are reconciled concurrently.
type Reconciler interface {
	Reconcile(context.Context, Request) error
}

// Request is one reconcile: which object, and its last known state. Object is nil if there is no such object any more.
type Request struct {
	Kind   Kind
	Key    cache.ObjectName
	Object *Object
}
