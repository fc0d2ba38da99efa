// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A replica that dies silently is replaced within about LeaseDuration and RetryPeriod, and after a few more of these all hold as many shards; its
// own Lease is removed long after.
func TestALostReplicaIsReplaced(t *testing.T) {
	for _, shards := range []int{1, 8} {
		simulate(t, 1, func(t *testing.T, w *observer) {
			a, b, c := start(t, w, "a", shards, ByKey), start(t, w, "b", shards, ByKey), start(t, w, "c", shards, ByKey)
			w.allHeld(shards, time.Minute) // several rounds, each a retry period, until they are even
			for _, r := range []*replica{a, b, c} {
				if shards == 1 && len(r.Held()) == 0 {
					continue // it is the leader that is of interest
				}
				r.kill()
				break
			}
			took := w.allHeld(shards, time.Minute)
			if shortest, longest := DefaultRenewDeadline, DefaultLeaseDuration+4*DefaultRetryPeriod; took < shortest || took > longest {
				t.Errorf("%d shards: replaced after %v, not between %v and %v", shards, took, shortest, longest)
			}
			members := func() (n int) {
				for _, name := range w.names() {
					if strings.Contains(name, "-member-") {
						n++
					}
				}
				return n
			}
			if shards > 1 && members() != 3 {
				t.Errorf("after %v there are %v", took, w.names())
			}
			time.Sleep((longGone + 1) * DefaultLeaseDuration)
			assert.Equal(t, map[int]int{1: 0, 8: 2}[shards], members(), "long after there are %v", w.names())
		})
	}
}

// What was begun is waited for before a shard changes hands, and nothing new begins meanwhile; the Lease is renewed for as
// long as that takes.
func TestDrainBeforeRelease(t *testing.T) {
	simulate(t, 0, func(t *testing.T, w *observer) {
		a := start(t, w, "a", 2, ByKey)
		w.allHeld(2, 5*time.Second)
		synctest.Wait()
		ctx, done, ok := a.Begin("ns", "x")
		defer done()
		other, doneOther, okOther := a.Begin("ns", anotherKey(a, "x"))
		defer doneOther()
		if !ok || !okOther || a.gained.Load() != 2 {
			t.Fatalf("one replica alone does not hold both shards: %v", a.Held())
		}
		b := start(t, w, "b", 2, ByKey)
		time.Sleep(3 * time.Minute) // far longer than a Lease
		if ctx.Err() != nil || other.Err() != nil || len(b.Held()) > 0 || len(a.Held()) != 2 {
			t.Fatalf("a shard was given away while it was worked in: %v and %v", a.Held(), b.Held())
		}
		_, doneFirst, first := a.Begin("ns", "x")
		_, doneSecond, second := a.Begin("ns", anotherKey(a, "x"))
		doneFirst()
		doneSecond()
		assert.NotEqual(t, second, first, "new work begins; want one of the two shards to drain")
		done()
		doneOther() // and once more at the end: twice is no harm
		assert.LessOrEqual(t, w.allHeld(2, 5*time.Second), 2*DefaultRetryPeriod, "it changed hands after")
	})
}

// anotherKey is one of another shard.
func anotherKey(r *replica, name string) string {
	for other := name; ; other += "x" {
		if r.Of("ns", other) != r.Of("ns", name) {
			return other
		}
	}
}

// The end: what is held is drained, then released, and the member's Lease is gone; the next replica takes over at once.
func TestTheEndReleasesAll(t *testing.T) {
	for _, shards := range []int{1, 3} {
		simulate(t, 0, func(t *testing.T, w *observer) {
			a := start(t, w, "a", shards, ByKey)
			w.allHeld(shards, 5*time.Second)
			ctx, done, ok := a.Begin("ns", "x")
			require.True(t, ok, "nothing begins")
			defer done()
			a.end()
			time.Sleep(time.Minute)
			if _, _, ok := a.Begin("ns", "x"); ok || ctx.Err() != nil || len(a.Held()) == 0 {
				t.Errorf("%d shards: while the last work goes on: begins %v, its context %v, held %v", shards, ok, ctx.Err(), a.Held())
			}
			done()
			began := time.Now()
			a.gone.Wait()
			assert.LessOrEqual(t, time.Since(began), time.Second, "it took: to release")
			assert.Error(t, ctx.Err(), "a context goes on without a lease")
			assert.ErrorIs(t, context.Cause(ctx), ErrLost, "a context goes on without a lease")
			for _, name := range w.names() {
				assert.NotContains(t, name, "member", "is left behind")
			}
			a.dead.Store(true) // it is not counted any more
			b := start(t, w, "b", shards, ByKey)
			assert.LessOrEqual(t, w.allHeld(shards, 5*time.Second), 2*DefaultRetryPeriod, "the next one waited: for what was released")
			b.stop()
		})
	}
}

// An API server that is gone: work ends at the deadline, not before; Ready says why; the end does not wait for ever; and all
// is as before when it comes back, each shard gained anew.
func TestWithoutTheServer(t *testing.T) {
	simulate(t, 0, func(t *testing.T, w *observer) {
		a := start(t, w, "a", 3, ByKey)
		assert.Error(t, a.Ready(), "ready before anything was read")
		w.allHeld(3, 5*time.Second)
		gained := a.gained.Load()
		ctx, done, _ := a.Begin("ns", "x")
		defer done()
		a.dead.Store(true)
		time.Sleep(DefaultRenewDeadline - 3*time.Second)
		assert.NoError(t, ctx.Err(), "given up too early")
		assert.NoError(t, a.Ready(), "given up too early")
		<-ctx.Done()
		time.Sleep(DefaultRetryPeriod)
		assert.ErrorContains(t, a.Ready(), "ns/loop", "ready")
		if _, _, ok := a.Begin("ns", "x"); ok || len(a.Held()) > 0 {
			t.Error("work begins without a lease")
		}
		a.dead.Store(false)
		w.allHeld(3, 2*DefaultRetryPeriod)
		synctest.Wait()
		assert.Equal(t, gained+3, a.gained.Load())
		assert.NoError(t, a.Ready())
		done()
		a.kill()
		began := time.Now()
		a.gone.Wait()
		assert.LessOrEqual(t, time.Since(began), 3*DefaultRenewDeadline, "it took: to end without the server")
	})
}

// A Lease that is taken away by hand ends the work at the next look.
func TestALeaseThatIsDeleted(t *testing.T) {
	for _, name := range []string{"loop-shard-1", "loop"} {
		simulate(t, 0, func(t *testing.T, w *observer) {
			a := start(t, w, "a", 2, ByKey)
			w.allHeld(2, 5*time.Second)
			gained := a.gained.Load()
			require.NoError(t, w.delete(name, nil))
			time.Sleep(3 * DefaultRetryPeriod)
			if w.allHeld(2, 5*time.Second); a.gained.Load() == gained {
				t.Errorf("no replica noticed that %s was deleted", name)
			}
		})
	}
}

// Replicas that are many more than shards stand by, and one replica asks for little: one list, and a write for each Lease
// that it keeps.
func TestStandbysAndRequests(t *testing.T) {
	simulate(t, 0, func(t *testing.T, w *observer) {
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			start(t, w, name, 2, ByKey)
		}
		w.allHeld(2, 30*time.Second)
		time.Sleep(time.Minute)
		_, before := w.counts()
		time.Sleep(time.Minute)
		_, after := w.counts()
		// 5 members, 2 shards and the Lease of all, each about every 1.8 s.
		assert.LessOrEqual(t, after-before, 8*40, "writes in a minute")
		for _, r := range w.replicas {
			assert.NoError(t, r.Ready(), r.name)
			assert.LessOrEqual(t, len(r.Held()), 1, r.name)
		}
		if leases := w.replicas[0].Leases(); len(leases) != 2 || !slices.Contains(w.names(), "loop-shard-0") {
			t.Errorf("%v, %v", leases, w.names())
		}
	})
}

// After a process was stopped, its timers may be late: who asks the context first gets the right answer all the same.
func TestAContextAsksTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // not watched: who watches asks, and that ends it too
		w := &observer{store: newStore(), t: t}
		a := start(t, w, "a", 1, ByKey)
		defer a.stop()
		w.allHeld(1, 5*time.Second)
		ctx, done, _ := a.Begin("ns", "x")
		defer done()
		a.gone.Go(func() { a.freeze(time.Minute) })
		time.Sleep(DefaultRenewDeadline + DefaultRetryPeriod)
		select {
		case <-ctx.Done():
			t.Error("a timer ran in a process that is stopped: the test shows nothing")
		default:
		}
		assert.Error(t, ctx.Err(), "a context goes on after its lease")
	})
}
