// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/client-go/tools/cache"
)

func TestFailuresOfOneKeyAreForgottenAlone(t *testing.T) {
	f := newFailures(time.Second, 3*time.Second)
	a, b := cache.ObjectName{Name: "a"}, cache.ObjectName{Name: "b"}
	f.Forget(a)
	for i, want := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second} {
		assert.Equal(t, want, f.When(a), "failure %d", i+1)
	}
	f.When(b)
	f.Forget(a)
	f.Forget(a)
	if f.NumRequeues(a) != 0 || f.NumRequeues(b) != 1 || f.keys.Load() != 1 {
		t.Errorf("failures: a %d, b %d, keys %d", f.NumRequeues(a), f.NumRequeues(b), f.keys.Load())
	}
	f.Forget(b)
	if got := f.When(b); f.keys.Load() != 1 || got != time.Second {
		t.Errorf("after success: keys %d, %s", f.keys.Load(), got)
	}
}

func TestFailuresCountUnderManyWorkers(t *testing.T) {
	f := newFailures(time.Millisecond, time.Second)
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			key := cache.ObjectName{Name: string(rune('a' + w))}
			for range 1000 {
				f.When(key)
				f.When(key)
				f.Forget(key)
			}
		})
	}
	workers.Wait()
	assert.Zero(t, f.keys.Load(), "keys are counted as failed after all succeeded")
}
