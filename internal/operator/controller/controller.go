// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
)

// controller is what one kind gets: feeds that fill a queue, and workers that empty it.
type controller struct {
	kind       Kind
	log        *slog.Logger
	options    Options
	feeds      informer.Set // one for each namespace that is followed
	needs      *needs
	queue      workqueue.TypedRateLimitingInterface[cache.ObjectName]
	trace      *pipeline.Queue // records what is queued; nil if nothing is
	reconciler Reconciler
	events     recorder
	repeated   repeated
}

// recorder tells the readers of an object what became of it.
type recorder interface {
	Record(about ObjectReference, eventType, reason, message string)
}

func newController(kind Kind, o Options, events recorder) *controller {
	c := &controller{kind: kind, log: o.Log.With("kind", kind.Kind), options: o, events: events, needs: &needs{}}
	c.queue, c.trace = o.Trace.Queue(kind.crdName(), newFailures(o.FirstRetry, o.LastRetry), o.queue(kind))
	return c
}

// add queues a key because of the version of an object, which may be nil.
func (c *controller) add(key cache.ObjectName, why string, o *object.Object) {
	if c.trace == nil {
		c.queue.Add(key)
		return
	}
	c.trace.AddFor(key, why, o)
}

func (c *controller) addAfter(key cache.ObjectName, why string, after time.Duration) {
	if c.trace == nil {
		c.queue.AddAfter(key, after)
		return
	}
	c.trace.AddAfter(key, why, after)
}

func (c *controller) addRateLimited(key cache.ObjectName) {
	if c.trace == nil {
		c.queue.AddRateLimited(key)
		return
	}
	c.trace.AddRateLimited(key)
}

// enqueue is told of every change of the kind's objects.
func (c *controller) enqueue(before, after *object.Object) {
	o := cmp.Or(after, before)
	key := o.Key()
	c.log.Debug("Handler queues", "key", key)
	c.add(key, pipeline.Own, o)
}

// enqueueAll has every object reconciled again; which says of which keys, nil means all.
func (c *controller) enqueueAll(why string, which func(namespace, name string) bool) {
	for _, f := range c.feeds {
		for _, key := range f.Keys() {
			if which == nil || which(key.Namespace, key.Name) {
				c.add(key, why, nil)
			}
		}
	}
}

// run returns when ctx is done and everything that it started has stopped.
func (c *controller) run(ctx context.Context) {
	c.log.Info("Event handlers set up")
	c.log.Info("Starting control loop")
	c.log.Info("Waiting for caches to sync")
	var parts sync.WaitGroup
	for _, f := range c.feeds {
		f.Handle(c.enqueue)
		parts.Go(func() { f.Run(ctx) })
	}
	if c.synced(ctx) {
		c.log.Info("Caches synced", "objects", c.feeds.Size())
		c.log.Info("Started workers", "count", c.options.Workers) // before they speak
		for range c.options.Workers {
			parts.Go(func() {
				for c.next(ctx) {
				}
			})
		}
		if c.options.Resync > 0 {
			parts.Go(func() { c.resync(ctx) })
		}
	}
	<-ctx.Done()
	c.log.Info("Shutting down workers")
	c.queue.ShutDown()
	parts.Wait()
	c.log.Info("Control loop stopped")
}

// synced waits until the objects are known, and those of other kinds that the reconciler needs. It is false when ctx
// ended before that.
func (c *controller) synced(ctx context.Context) bool {
	for _, f := range c.required() {
		select {
		case <-f.Synced():
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// required are the feeds without which no object can be reconciled.
func (c *controller) required() informer.Set { return append(c.needs.all(), c.feeds...) }

// resync has every object reconciled once in each period, at a moment of its own: all at once would be a burst.
func (c *controller) resync(ctx context.Context) {
	if !c.reconciler.Resyncs() {
		return // what did not change would be skipped
	}
	ticks := time.NewTicker(c.options.Resync)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		for _, f := range c.feeds {
			for _, key := range f.Keys() {
				c.addAfter(key, pipeline.Resync, rand.N(c.options.Resync))
			}
		}
	}
}

// needs are the feeds of other kinds without which a reconciler cannot begin.
type needs struct {
	mu    sync.Mutex
	feeds informer.Set
}

func (n *needs) add(feeds informer.Set) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.feeds = append(n.feeds, feeds...)
}

func (n *needs) all() informer.Set {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.feeds)
}
