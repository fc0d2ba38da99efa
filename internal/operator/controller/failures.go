// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// failures is client-go's back-off per key, and takes its lock only while there are keys that failed: workers that all come for
// it after each success wait for one another, which is a quarter of what a reconcile takes that does nothing.
//
// A key must be with one worker at a time, as the queue has it.
type failures struct {
	workqueue.TypedRateLimiter[cache.ObjectName]
	keys atomic.Int64 // that failed and did not succeed since
}

// There is no bucket for all keys together: it would have 10,000 that failed with the API server wait for minutes after it
// is back.
func newFailures(first, last time.Duration) *failures {
	return &failures{TypedRateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](first, last)}
}

func (f *failures) When(key cache.ObjectName) time.Duration {
	if f.NumRequeues(key) == 0 {
		f.keys.Add(1)
	}
	return f.TypedRateLimiter.When(key)
}

func (f *failures) Forget(key cache.ObjectName) {
	if f.keys.Load() > 0 && f.NumRequeues(key) > 0 {
		f.TypedRateLimiter.Forget(key)
		f.keys.Add(-1)
	}
}
