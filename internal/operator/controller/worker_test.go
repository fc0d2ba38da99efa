// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/metrics"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
)

func one(name string) []string { return []string{operatortest.CronTab(name, "1", 2)} }

func TestInvalidKeyIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		called := false
		log := operatortest.NewLog()
		c := newController(cronTab, Options{Log: slog.New(log)}, noRecorder{})
		c.reconciler, _ = by(func(Request) error { called = true; return nil })(Handle{})
		defer c.queue.ShutDown()
		bad := cache.ObjectName{Name: "no-namespace"}
		c.queue.AddRateLimited(bad) // as if it had failed before
		assert.True(t, c.next(t.Context()), "the worker stopped")
		if called || c.queue.Len() != 0 || c.queue.NumRequeues(bad) != 0 {
			t.Errorf("reconciled %v, queued %d, failures %d", called, c.queue.Len(), c.queue.NumRequeues(bad))
		}
		log.Expect(t, "Invalid key dropped kind=CronTab key=no-namespace err=CronTab is namespaced and the key has no namespace")
	})
}

func TestFailureIsRetriedWithBackOffAndSuccessForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done tries
		r := start(t, by(func(request Request) error {
			if request.Key.Name == "other" {
				return nil
			}
			if n := done.add(); n < 5 || n == 6 {
				return errors.New("not yet")
			}
			return nil
		}), nil, append(one(demo.Name), one("other")...)...)
		within(time.Second)
		done.expectDoubled(t)
		const failed = "Reconcile failed; retrying with back-off kind=CronTab key=default/crontab-demo err=not yet failures="
		if r.log.Count(failed) != 1 { // the others are the same within less than repeatEvery
			t.Errorf("%q", r.log.Said())
		}
		if r.log.Count("Successfully synced kind=CronTab key=default/crontab-demo") != 1 || r.log.Count("Successfully synced kind=CronTab key=default/other") != 1 || r.synced() != 2 {
			t.Errorf("%d events, log %q", r.synced(), r.log.Said())
		}
		r.path.Send("MODIFIED", operatortest.CronTab(demo.Name, "101", 3))
		within(time.Second)
		assert.Equal(t, 2, r.log.Count(failed+"1"), "success did not forget the failures: %q", r.log.Said())
		assert.Equal(t, 7, done.count(), "success did not forget the failures: %q", r.log.Said())
		r.end(t)
	})
}

func TestBackOffEndsAtTheLastRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done tries
		r := start(t, by(func(Request) error { done.add(); return errors.New("never") }), func(o *Options) {
			o.FirstRetry, o.LastRetry = time.Second, 4*time.Second
		}, one("a")...)
		within(7*time.Second + 10*4*time.Second) // after 1, 2, 4, 4 seconds, ...
		assert.Equal(t, 14, done.count(), "%v", done.at)
		r.end(t)
		assert.Zero(t, r.synced(), "a failure is told as a success")
	})
}

func TestLaterIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done tries
		r := start(t, by(func(Request) error {
			if done.add() < 4 {
				return &LaterError{After: time.Minute, Err: errors.New("the hook asks for time")}
			}
			return nil
		}), nil, one("a")...)
		within(2*time.Minute + time.Second)
		if n := done.count(); n != 3 || r.log.Count("Reconcile put off kind=CronTab key=default/a err=the hook asks for time after=1m0s") != 3 {
			t.Errorf("%d tries: %q", n, r.log.Said())
		}
		within(time.Minute)
		r.end(t)
		if r.log.Count("Reconcile failed") != 0 || r.log.Count("Successfully synced") != 1 || r.synced() != 1 {
			t.Errorf("%q", r.log.Said())
		}
	})
}

// What does not end, such as a conflict that is a webhook's, must not be tried for ever at the pace of what does.
func TestLaterBacksOffWhereItHasNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done tries
		r := start(t, by(func(Request) error {
			if done.add() < 7 {
				return &LaterError{Err: errors.New("another client was faster")}
			}
			return nil
		}), nil, one("a")...)
		within(time.Second)
		r.end(t)
		done.expectDoubled(t)
		if r.log.Count("Reconcile put off kind=CronTab key=default/a err=another client was faster times=6") != 1 || r.log.Count("Reconcile failed") != 0 || r.synced() != 1 {
			t.Errorf("%q", r.log.Said())
		}
	})
}

func TestAfterAndQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done tries
		reconciler := &reconciling{reconcile: func(context.Context, Request) (Result, error) {
			done.add()
			return Result{After: time.Hour, Quiet: true}, nil
		}}
		r := start(t, reconciler.make, nil, one("a")...)
		within(3*time.Hour + time.Second)
		r.end(t)
		assert.Equal(t, 4, done.count())
		assert.Zero(t, r.synced())
	})
}

func TestPanicIsOneKeysFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, by(func(r Request) error {
			if r.Key.Name == "bad" {
				panic("oh no")
			}
			return nil
		}), func(o *Options) { o.Workers, o.FirstRetry, o.LastRetry = 1, time.Hour, time.Hour }, append(one("bad"), one("good")...)...)
		within(time.Minute)
		r.end(t)
		assert.Equal(t, 1, r.log.Count("Successfully synced kind=CronTab key=default/good"), "%q", r.log.Said())
		assert.Equal(t, 1, r.log.Count("Reconcile failed"), "%q", r.log.Said())
		told := false
		for _, line := range r.log.Said() {
			told = told || strings.Contains(line, "key=default/bad err=panic: oh no failures=1 stack=") && strings.Contains(line, "worker_test.go")
		}
		assert.True(t, told, "%q", r.log.Said())
	})
}

// shards refuses all keys but those that are mine, and can lose a claim.
type shards struct {
	mu     sync.Mutex
	mine   map[string]bool
	cancel context.CancelFunc
	begun  int
	ended  int
}

func (s *shards) Begin(_, name string) (context.Context, func(), bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.mine[name] {
		return nil, nil, false
	}
	s.begun++
	ctx, cancel := context.WithCancel(context.Background()) // a claim knows nothing of the loop
	s.cancel = cancel
	return ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended++
		cancel()
	}, true
}

func TestOtherReplicasKeysAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shards{mine: map[string]bool{"mine": true}}
		done := &operatortest.Names{}
		r := start(t, by(func(r Request) error { done.Add(r.Key.Name); return nil }), func(o *Options) { o.Shards = s }, append(one("mine"), one("theirs")...)...)
		within(time.Hour)
		done.Expect(t, "one is mine", "mine")
		s.mu.Lock()
		s.mine["theirs"] = true
		s.mu.Unlock()
		r.state.EnqueueAll(pipeline.Shard, func(_, name string) bool { return name == "theirs" })
		within(time.Second)
		done.Expect(t, "both are mine", "theirs")
		r.state.EnqueueAll(pipeline.Shard, nil)
		within(time.Second)
		done.Expect(t, "all again", "mine", "theirs")
		r.end(t)
		assert.Equal(t, 4, s.begun)
		assert.Equal(t, 4, s.ended)
	})
}

// What is remembered of an object that another replica has taken over and that is deleted there is forgotten here.
func TestAnotherReplicasDeletionIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reconciler := &reconciling{reconcile: func(context.Context, Request) (Result, error) { return Result{}, nil }}
		r := start(t, reconciler.make, func(o *Options) { o.Shards = &shards{} }, one("theirs")...)
		within(time.Minute)
		reconciler.forgot.Expect(t, "it is there")
		r.path.Send("DELETED", operatortest.CronTab("theirs", "101", 1))
		within(time.Minute)
		reconciler.forgot.Expect(t, "it is gone", "theirs")
		r.end(t)
	})
}

func TestALostClaimIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shards{mine: map[string]bool{"a": true}}
		r := start(t, untilDone().make, func(o *Options) { o.Shards = s }, one("a")...)
		within(time.Minute)
		s.mu.Lock()
		s.cancel()
		s.mine["a"] = false
		s.mu.Unlock()
		within(time.Hour)
		r.end(t)
		if r.log.Count("Reconcile failed") != 0 || r.log.Count("Successfully") != 0 || s.begun != 1 || s.ended != 1 || r.synced() != 0 {
			t.Errorf("%d claims, %d given back: %q", s.begun, s.ended, r.log.Said())
		}
	})
}

// A reconcile that the end of the loop interrupts is no failure either.
func TestStoppingIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, untilDone().make, nil, append(one("a"), one("b")...)...)
		within(time.Minute)
		r.end(t)
		assert.Zero(t, r.log.Count("Reconcile failed"), "%q", r.log.Said())
		assert.Equal(t, 1, r.log.Count("Control loop stopped"), "%q", r.log.Said())
	})
}

// measured is Metrics that collects the outcomes.
type measured struct{ names operatortest.Names }

func (m *measured) Queue(name string) (string, workqueue.MetricsProvider) {
	return metrics.NewMetrics().Queue(name)
}

func (m *measured) Reconciled(kind, result string) { m.names.Add(kind + " " + result) }

func TestMetricsAreToldOfEachReconcile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &measured{}
		var done tries
		r := start(t, by(func(Request) error {
			time.Sleep(time.Second)
			if done.add() == 1 {
				return errors.New("no")
			}
			return nil
		}), func(o *Options) { o.Metrics = m }, one("a")...)
		within(time.Minute)
		r.end(t)
		m.names.Expect(t, "reconciled", "CronTab error", "CronTab success")
	})
}
