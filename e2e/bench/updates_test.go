// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/e2e/bench/harness"
)

const (
	// pace is the time between paced updates.
	pace = 10 * time.Millisecond
	// updated is how many objects are updated, so that a burst meets each several times.
	updated = 1000
	// lostAfter is how long after the last write an update may not have been seen. Then it is lost.
	lostAfter = 20 * time.Second
)

// updates are what was written to the objects.
type updates struct {
	cluster *cluster

	mu           sync.Mutex
	acknowledged map[uint64]time.Time // by resourceVersion
	last         map[uint64]uint64    // resourceVersion by the number of the object
	written      []written
}

// written is one update of an object.
type written struct {
	object             uint64
	sent, acknowledged time.Time
}

func newUpdates(c *cluster) *updates {
	return &updates{cluster: c, acknowledged: map[uint64]time.Time{}, last: map[uint64]uint64{}}
}

// write has some writers update objects, with a pace at least between the beginnings of two updates, and keeps what became of them.
func (u *updates) write(ctx context.Context, writes, writers int, pace time.Duration) error {
	began := time.Now()
	return each(ctx, 0, writes, writers, func(n int) error {
		time.Sleep(time.Until(began.Add(time.Duration(n) * pace)))
		object := n % min(updated, u.cluster.filled)
		sent := time.Now()
		version, at, err := u.cluster.bump(ctx, object)
		u.mu.Lock()
		defer u.mu.Unlock()
		u.acknowledged[version] = at
		u.last[uint64(object)] = max(u.last[uint64(object)], version)
		u.written = append(u.written, written{uint64(object), sent, at})
		return err
	})
}

// lost returns of how many objects the last version was not what was reconciled last.
func (u *updates) lost(noted harness.Noted) (lost int) {
	seen := map[uint64]uint64{}
	for _, n := range noted.Notes {
		seen[n.Object] = n.Version
	}
	for object, version := range u.last {
		if seen[object] != version {
			lost++
		}
	}
	return lost
}

// latencies are the times from a write's acknowledgment to the start of the reconcile that saw it, the shortest first. A write that
// another one overtook has none. Where the watch was faster than the answer, it is 0: no client could have waited.
func (u *updates) latencies(noted harness.Noted) []time.Duration {
	first := map[uint64]time.Duration{}
	for _, n := range noted.Notes {
		written, ours := u.acknowledged[n.Version]
		if _, again := first[n.Version]; ours && !again {
			first[n.Version] = max(0, time.Unix(0, n.At).Sub(written))
		}
	}
	return slices.Sorted(maps.Values(first))
}

// percentile is the time that a share of them is not above.
func percentile(sorted []time.Duration, share float64) time.Duration {
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// A write counts once, at its first reconcile; one that another overtook, and one that is not of this phase, do not.
func TestUpdates(t *testing.T) {
	at := time.Unix(100, 0)
	u := newUpdates(nil)
	u.acknowledged[7], u.acknowledged[8], u.acknowledged[9] = at, at, at
	u.last[1], u.last[2] = 9, 7
	noted := harness.Noted{Notes: []harness.Note{
		{Object: 1, Version: 9, At: at.Add(2 * time.Millisecond).UnixNano()}, {Object: 1, Version: 9, At: at.Add(time.Second).UnixNano()},
		{Object: 2, Version: 7, At: at.Add(-time.Millisecond).UnixNano()}, {Object: 2, Version: 1, At: at.UnixNano()},
	}}
	assert.Equal(t, []time.Duration{0, 2 * time.Millisecond}, u.latencies(noted))
	assert.Equal(t, 1, u.lost(noted), "the last reconcile of object 2 saw an old version")
	noted.Notes = noted.Notes[:3]
	assert.Zero(t, u.lost(noted))
}

func TestPercentile(t *testing.T) {
	var all []time.Duration
	for i := range 200 {
		all = append(all, time.Duration(i+1))
	}
	assert.Equal(t, []time.Duration{101, 199, 200}, []time.Duration{percentile(all, 0.5), percentile(all, 0.99), percentile(all, 1)})
}
