package loop

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"k8s.io/client-go/tools/cache"
)

const msgKeyDropped = "Key dropped: it is not valid"

// next works on one key and says whether there can be another. Plain events come in through Add; only a failure goes
// through the rate limiter, since its bucket of 50 a second would make 2,000 new objects take half a minute.
func (c *controller) next(ctx context.Context) bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	if ctx.Err() != nil {
		return false
	}
	log := c.log.With("key", key.String())
	if err := c.kind.checkKey(key); err != nil {
		c.queue.Forget(key) // trying again cannot make it valid
		log.Warn(msgKeyDropped, "err", err)
		return true
	}
	err := c.sync(ctx, key)
	if err == nil {
		c.queue.Forget(key)
		log.Info(fmt.Sprintf("Successfully synced %q", key.String()))
		return true
	}
	if ctx.Err() != nil {
		return false // stopping is no failure
	}
	c.queue.AddRateLimited(key)
	attributes := []any{"err", err, "failures", c.queue.NumRequeues(key)}
	var crash *panicError
	if errors.As(err, &crash) {
		attributes = append(attributes, "stack", string(crash.stack))
	}
	log.Error("Reconcile failed; retrying with back-off", attributes...)
	return true
}

// sync reconciles one key and records the event. A panic is this key's failure, and nobody else's.
func (c *controller) sync(ctx context.Context, key cache.ObjectName) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{value: p, stack: debug.Stack()}
		}
	}()
	request := Request{Kind: c.kind, Key: key, Object: c.feed.get(key)}
	if err := c.reconciler.Reconcile(ctx, request); err != nil {
		return err
	}
	if request.Object != nil {
		c.events.synced(c.kind, request.Object)
	}
	return nil
}

// panicError is a panic as an error; it keeps the stack for the log.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }
