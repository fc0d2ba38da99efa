// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/crdctl/crdctl/internal/operator/pipeline"
)

// Options says what to follow, and how.
type Options struct {
	Config *rest.Config
	Kinds  []Kind
	// Reconciler makes the reconciler of each kind; nil is the one that says what it sees.
	Reconciler Maker
	Workers    int           // for each kind; 0 means 2
	Resync     time.Duration // 0 means never
	Namespaces []string      // none means all; cluster-scoped kinds are always followed
	Selector   string        // a label selector; "" selects all
	// FirstRetry and LastRetry bound the back-off of a key that fails; 0 means 5 ms and 30 s.
	FirstRetry, LastRetry time.Duration
	// Stream has the first list streamed, see feed.Source.
	Stream bool
	// Name is the source of events; "" means crdctl.
	Name     string
	NoEvents bool
	// Shards says which keys are this process's to work on; nil: all are.
	Shards Shards
	// Metrics is told what happens; nil if metrics are off.
	Metrics Metrics
	// Started, if not nil, is handed the loop before its workers start.
	Started func(State)
	// Trace records what happens; nil records nothing.
	Trace *pipeline.Trace
	Log   *slog.Logger
}

// Shards divides the keys among processes.
type Shards interface {
	// Begin claims a key until done is called, and refuses another process's. The context ends when the claim does.
	Begin(namespace, name string) (claim context.Context, done func(), ok bool)
}

// Metrics is what the loop tells of itself.
type Metrics interface {
	// Queue gives the metrics of a queue, and the name that they have there.
	Queue(name string) (string, workqueue.MetricsProvider)
	// Reconciled counts a reconcile: its result is success, later or error.
	Reconciled(kind, result string)
}

// State is a running loop, for those who report on it or steer it.
type State interface {
	// Ready is nil when all caches are synced and the API server answers.
	Ready() error
	// Absent reports that a kind is not served: its CRD is missing, or changed.
	Absent() bool
	// Sizes are the objects in memory, by the name of their resource.
	Sizes() map[string]int
	// Waiting is how many keys are in the queues.
	Waiting() int
	// EnqueueAll has the keys reconciled that which names; nil is all. Why is for the record.
	EnqueueAll(why string, which func(namespace, name string) bool)
}

// queue is how the queue of a kind is made.
func (o *Options) queue(kind Kind) workqueue.TypedRateLimitingQueueConfig[cache.ObjectName] {
	var config workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]
	if o.Metrics != nil {
		config.Name, config.MetricsProvider = o.Metrics.Queue(kind.crdName())
	}
	return config
}

func (o *Options) begin(ctx context.Context, key cache.ObjectName) (context.Context, func(), bool) {
	if o.Shards == nil {
		return ctx, func() {}, true
	}
	claim, done, ok := o.Shards.Begin(key.Namespace, key.Name)
	if !ok {
		return ctx, done, false
	}
	mine, cancel := context.WithCancelCause(ctx)
	unbind := context.AfterFunc(claim, func() { cancel(context.Cause(claim)) })
	return claimed{mine, claim, cancel}, func() { unbind(); cancel(nil); done() }, true
}

// claimed is the context of a reconcile that ends with the claim on its key. Err asks the claim itself: in a process that was
// stopped for a while, what makes contexts end may come later than an answer that was waiting. Who writes asks Err right before
// each request: client-go does not, as it derives a context of its own from this one.
type claimed struct {
	context.Context
	claim context.Context
	end   context.CancelCauseFunc
}

func (c claimed) Err() error {
	if c.claim.Err() != nil {
		c.end(context.Cause(c.claim))
	}
	return c.Context.Err()
}

// complete fills in what is not set, and refuses a kind that is there twice.
func (o *Options) complete() error {
	seen := map[string]bool{}
	for _, k := range o.Kinds {
		if seen[k.crdName()] {
			return fmt.Errorf("start the control loop: %s is named twice; name it once", k.crdName())
		}
		seen[k.crdName()] = true
	}
	o.Workers, o.Name = cmp.Or(o.Workers, 2), cmp.Or(o.Name, "crdctl")
	// client-go's 1000 seconds are no use to someone who has just fixed what failed and looks at the log.
	o.FirstRetry, o.LastRetry = cmp.Or(o.FirstRetry, 5*time.Millisecond), cmp.Or(o.LastRetry, 30*time.Second)
	if o.Reconciler == nil {
		o.Reconciler = Log(o.Log)
	}
	return nil
}
