// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// observer watches all replicas of a simulation, as real ones cannot be watched.
type observer struct {
	*store
	t       *testing.T
	workers int

	mu       sync.Mutex
	replicas []*replica
	busy     []*entry
	entered  int
	failures int
}

// fail says what broke the promise, a few times only: when it breaks, it breaks a thousand times.
func (w *observer) fail(format string, a ...any) {
	if w.failures++; w.failures <= 5 {
		w.t.Errorf(format, a...)
	}
}

// entry is a piece of work between Begin and done.
type entry struct {
	replica *replica
	shard   int
	ctx     context.Context
	freezes int64 // of its replica, when it began
}

func (w *observer) add(r *replica) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.replicas = append(w.replicas, r)
}

// enter is told of work that begins. No other replica may be at work on the shard: work has LeaseDuration less
// RenewDeadline to end after its context did. Of one that was stopped meanwhile only this is asked, that its context has ended.
func (w *observer) enter(r *replica, shard int, ctx context.Context) (leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entered++
	if ctx.Err() != nil {
		w.fail("%s begins with a context that has ended", r.name)
	}
	for _, other := range w.busy {
		o := other.replica
		if o == r || o.dead.Load() || other.shard != shard && o.layout == r.layout || o.stopped() {
			continue
		}
		if o.freezes.Load() == other.freezes || other.ctx.Err() == nil {
			w.fail("%s begins in shard %d while %s works in %d; the context there: %v", r.name, shard, o.name, other.shard, other.ctx.Err())
		}
	}
	e := &entry{r, shard, ctx, r.freezes.Load()}
	w.busy = append(w.busy, e)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.busy = slices.DeleteFunc(w.busy, func(other *entry) bool { return other == e })
	}
}

// counts are the pieces of work that were begun, and the writes.
func (w *observer) counts() (entered, writes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	return w.entered, w.writes
}

// watch looks every 20 ms whether two hold a shard, or hold shards that are cut differently, until the context ends.
func (w *observer) watch(ctx context.Context) {
	for ctx.Err() == nil {
		w.mu.Lock()
		replicas := slices.Clone(w.replicas)
		w.mu.Unlock()
		holders := map[int]*replica{}
		for _, r := range replicas {
			if r.dead.Load() {
				continue
			}
			for _, i := range r.Held() {
				if other := holders[i]; other != nil {
					w.fail("%s and %s hold shard %d", other.name, r.name, i)
				}
				for _, other := range holders {
					if other.layout != r.layout {
						w.fail("%s and %s hold shards, and cut differently: %s, %s", other.name, r.name, other.layout, r.layout)
					}
				}
				holders[i] = r
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// allHeld waits until every shard is held by a replica that lives, evenly, and says how long that took.
func (w *observer) allHeld(shards int, within time.Duration) time.Duration {
	w.t.Helper()
	begin := time.Now()
	for {
		var counts []int
		all := map[int]bool{}
		for _, r := range w.replicas {
			if r.dead.Load() {
				continue
			}
			held := r.Held()
			counts = append(counts, len(held))
			for _, i := range held {
				all[i] = true
			}
		}
		if len(all) == shards && slices.Max(counts)-slices.Min(counts) <= 1 {
			return time.Since(begin)
		}
		require.LessOrEqual(w.t, time.Since(begin), within, "after: %d of %d shards are held: %v", len(all), shards, counts)
		time.Sleep(50 * time.Millisecond)
	}
}
