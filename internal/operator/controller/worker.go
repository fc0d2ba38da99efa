// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/pipeline"
)

const (
	msgKeyDropped = "Invalid key dropped"
	msgPutOff     = "Reconcile put off"
)

// next works on one key and reports whether there can be another. Plain events come in through Add; only a failure goes
// through the rate limiter.
func (c *controller) next(ctx context.Context) bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	if ctx.Err() != nil {
		return false
	}
	if err := c.kind.checkKey(key); err != nil {
		c.queue.Forget(key) // trying again cannot make it valid
		c.trace.Drop(key, err.Error())
		c.log.Warn(msgKeyDropped, "key", key.String(), "err", err)
		return true
	}
	mine, done, ok := c.options.begin(ctx, key)
	if !ok {
		c.queue.Forget(key) // another replica's; when it becomes ours, all keys are queued
		c.trace.Drop(key, "it is another replica's")
		c.repeated.forget(key)
		if c.feeds.Get(key) == nil {
			c.reconciler.Forget(key)
		}
		return true
	}
	defer done()
	c.work(mine, key)
	return ctx.Err() == nil
}

func (c *controller) work(ctx context.Context, key cache.ObjectName) {
	request := Request{Kind: c.kind, Key: key, Object: c.feeds.Get(key)}
	recorded := c.trace.Begin(key, request.Object)
	result, err := c.sync(pipeline.With(ctx, recorded), request)
	if c.options.Metrics != nil {
		c.options.Metrics.Reconciled(c.kind.Kind, resultOf(err))
	}
	if recorded != nil {
		recorded.End(outcome(ctx, result, err))
	}
	switch {
	case err == nil:
		c.queue.Forget(key)
		c.repeated.forget(key)
		if c.log.Enabled(ctx, slog.LevelInfo) { // the words of the line take longer than a reconcile that does nothing
			c.log.Info("Successfully synced", "key", key.String())
		}
		if result.After > 0 {
			c.addAfter(key, pipeline.Timer, result.After)
		}
	case ctx.Err() != nil: // stopping, or having lost the key to another replica, is not a failure
		c.queue.Forget(key)
	default:
		c.retry(key, err)
	}
}

// outcome is how the record of a reconcile ends.
func outcome(ctx context.Context, r Result, err error) (result string, after time.Duration, _ error) {
	if err == nil && r.After == 0 {
		return pipeline.OK, 0, nil
	}
	after, later := PutOff(err)
	switch {
	case err == nil:
		return pipeline.Requeue, r.After, nil
	case later || ctx.Err() != nil:
		return pipeline.Requeue, after, err
	case errors.As(err, new(*panicError)):
		return pipeline.Panic, 0, err
	}
	return pipeline.Error, 0, err
}

func resultOf(err error) string {
	if err == nil {
		return "success"
	}
	if _, later := PutOff(err); later {
		return "later"
	}
	return "error"
}

func (c *controller) retry(key cache.ObjectName, err error) {
	log := c.log.With("key", key.String())
	after, later := PutOff(err)
	if later && after == 0 {
		c.addRateLimited(key)
		log.Info(msgPutOff, "err", err, "times", c.queue.NumRequeues(key))
		return
	}
	repeats, tell := c.repeated.note(key, err, time.Now())
	if later { // the failures before it count on: being put off is not a success
		c.addAfter(key, pipeline.Retry, after)
		if tell {
			log.Info(msgPutOff, withRepeats(repeats, "err", err, "after", after)...)
		}
		return
	}
	c.addRateLimited(key)
	if !tell {
		return
	}
	attributes := withRepeats(repeats, "err", err, "failures", c.queue.NumRequeues(key))
	var crash *panicError
	if errors.As(err, &crash) && repeats == 0 {
		attributes = append(attributes, "stack", string(crash.stack))
	}
	log.Error("Reconcile failed; retrying with back-off", attributes...)
}

// sync reconciles one key and records the event. A panic is this key's failure, and no other key's.
func (c *controller) sync(ctx context.Context, request Request) (result Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{value: p, stack: debug.Stack()}
		}
	}()
	result, err = c.reconciler.Reconcile(ctx, request)
	if err != nil || request.Object == nil {
		return result, err
	}
	if !result.Quiet {
		c.events.Record(c.kind.Reference(request.Object), corev1.EventTypeNormal, "Synced", c.kind.Kind+" synced successfully")
	}
	if c.reconciler.Keeps() == KeepsUntilReconciled {
		c.feeds.Evict(request.Object)
	}
	return result, nil
}

// panicError is a panic as an error; it keeps the stack for the log.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }
