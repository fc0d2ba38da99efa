package loop

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/cache"
)

// newTestController has a store with the given objects and no API server.
func newTestController(t *testing.T, reconcile reconcilerFunc, names ...string) (*controller, recording, *noEvents) {
	t.Helper()
	log, events := newRecording(), &noEvents{}
	c := newController(cronTab, Options{Log: slog.New(log)}, events)
	c.feed = newFeed(cronTab, source{}, c.queue.Add, &server{log: slog.New(log)}, c.log, time.Minute)
	if reconcile != nil {
		c.reconciler = reconcile
	}
	for _, name := range names {
		if err := c.feed.store.Add(cronTabObject(name, "1", 2)); err != nil {
			t.Fatal(err)
		}
	}
	return c, log, events
}

func TestInvalidKeyIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		called := false
		c, log, _ := newTestController(t, func(Request) error { called = true; return nil })
		defer c.queue.ShutDown()
		bad := cache.ObjectName{Name: "no-namespace"}
		c.queue.AddRateLimited(bad) // as if it had failed before
		if !c.next(t.Context()) {
			t.Error("the worker stopped")
		}
		if called || c.queue.Len() != 0 || c.queue.NumRequeues(bad) != 0 {
			t.Errorf("reconciled %v, queued %d, failures %d", called, c.queue.Len(), c.queue.NumRequeues(bad))
		}
		log.expect(t, "Key dropped: it is not valid kind=CronTab key=no-namespace err=CronTab is namespaced and the key has no namespace")
	})
}

func TestFailureIsRetriedWithBackOffAndSuccessForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries []time.Time
		c, log, events := newTestController(t, func(Request) error {
			if tries = append(tries, time.Now()); len(tries) < 5 {
				return errors.New("not yet")
			}
			return nil
		}, demo.Name)
		defer c.queue.ShutDown()
		c.queue.Add(demo)
		for range 5 {
			c.next(t.Context())
		}
		for i := 2; i < len(tries); i++ {
			if tries[i].Sub(tries[i-1]) <= tries[i-1].Sub(tries[i-2]) {
				t.Errorf("try %d came no later than the one before: %v", i, tries)
			}
		}
		if n := c.queue.NumRequeues(demo); n != 0 {
			t.Errorf("%d failures are remembered", n)
		}
		if n := log.count("Reconcile failed; retrying with back-off kind=CronTab key=default/crontab-demo err=not yet failures="); n != 4 {
			t.Errorf("%d failures in the log: %q", n, log.said())
		}
		if n := log.count(`Successfully synced "default/crontab-demo"`); n != 1 || len(events.uids) != 1 {
			t.Errorf("%d successes in the log, events: %v", n, events.uids)
		}
	})
}

func TestPanicIsOneKeysFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log, _ := newTestController(t, func(r Request) error {
			if r.Key.Name == "bad" {
				panic("oh no")
			}
			return nil
		}, "bad", "good")
		defer c.queue.ShutDown()
		for _, key := range keys("bad", "good") {
			c.queue.Add(key)
		}
		c.next(t.Context())
		c.next(t.Context())
		if log.count(`Successfully synced "default/good"`) != 1 || c.queue.NumRequeues(keys("bad")[0]) != 1 {
			t.Errorf("%q", log.said())
		}
		if first := log.said()[0]; !strings.Contains(first, "key=default/bad err=panic: oh no failures=1 stack=") || !strings.Contains(first, "worker_test.go") {
			t.Error(first)
		}
	})
}

func TestStoryOfAnObject(t *testing.T) {
	c, log, events := newTestController(t, nil)
	defer c.queue.ShutDown()
	deleting := cronTabObject(demo.Name, "4", 5)
	deleting.SetFinalizers([]string{"example.com/keep"})
	deleting.SetDeletionTimestamp(deletedAt())
	for _, step := range []cache.Deltas{
		delta(cache.Added, cronTabObject(demo.Name, "1", 2)),
		delta(cache.Updated, cronTabObject(demo.Name, "2", 5)),
		delta(cache.Updated, cronTabObject(demo.Name, "3", 5)),
		delta(cache.Updated, deleting),
		delta(cache.Deleted, deleting),
	} {
		if err := c.feed.process(step, false); err != nil {
			t.Fatal(err)
		}
		c.next(context.Background())
	}
	const about = " kind=CronTab key=default/crontab-demo"
	const done = `Successfully synced "default/crontab-demo"` + about
	log.expect(t,
		"Object added"+about+` resourceVersion=1 spec={"cronSpec":"* * * * */5","replicas":2}`, done,
		"Spec changed"+about+` resourceVersion=2 spec={"cronSpec":"* * * * */5","replicas":5}`, done,
		"Object changed"+about+" resourceVersion=3", done,
		"Deletion requested"+about+" resourceVersion=4 finalizers=[example.com/keep]", done,
		"Key is gone from the cache"+about, "Deletion handled"+about, done,
	)
	if len(events.uids) != 4 {
		t.Errorf("%d events, want 4: none for the deletion", len(events.uids))
	}
}
