package loop

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// controller is what one kind gets: a feed that fills a queue, and workers that empty it.
type controller struct {
	kind       Kind
	log        *slog.Logger
	workers    int
	feed       *feed
	queue      workqueue.TypedRateLimitingInterface[cache.ObjectName]
	reconciler Reconciler
	events     recorder
}

// recorder tells the object's readers that it was synced.
type recorder interface {
	synced(Kind, *Object)
}

func newController(kind Kind, o Options, events recorder) *controller {
	log := o.Log.With("kind", kind.Kind)
	return &controller{
		kind: kind, log: log, workers: o.Workers, events: events,
		queue:      workqueue.NewTypedRateLimitingQueue(retryLimiter()),
		reconciler: newLogReconciler(log),
	}
}

// retryLimiter is client-go's usual one, but for the longest delay: 1000 seconds is no use to someone who has just
// mended what failed and looks at the log.
func retryLimiter() workqueue.TypedRateLimiter[cache.ObjectName] {
	return workqueue.NewTypedMaxOfRateLimiter(
		workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](5*time.Millisecond, 30*time.Second),
		&workqueue.TypedBucketRateLimiter[cache.ObjectName]{Limiter: rate.NewLimiter(rate.Limit(50), 300)},
	)
}

// run returns when ctx is done and everything that it started has stopped.
func (c *controller) run(ctx context.Context) {
	c.log.Info("Event handlers set up")
	c.log.Info("Starting control loop")
	c.log.Info("Waiting for caches to sync")
	var parts sync.WaitGroup
	parts.Go(func() { c.feed.run(ctx) })
	select {
	case <-c.feed.synced:
		c.log.Info("Caches synced", "objects", c.feed.size())
		c.log.Info("Started workers", "count", c.workers) // before they speak
		for range c.workers {
			parts.Go(func() {
				for c.next(ctx) {
				}
			})
		}
	case <-ctx.Done():
	}
	<-ctx.Done()
	c.log.Info("Shutting down workers")
	c.queue.ShutDown()
	parts.Wait()
	c.log.Info("Control loop stopped")
}
