package bench

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/e2e/bench/harness"
)

const (
	pace         = 10 * time.Millisecond
	burstWriters = 8
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
	last         map[int]uint64       // resourceVersion of an object
}

func newUpdates(c *cluster) *updates {
	return &updates{cluster: c, acknowledged: map[uint64]time.Time{}, last: map[int]uint64{}}
}

// write updates an object and keeps what became of it.
func (u *updates) write(ctx context.Context, n int) error {
	object := n % min(updated, u.cluster.filled)
	version, at, err := u.cluster.bump(ctx, object)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.acknowledged[version] = at
	u.last[object] = max(u.last[object], version)
	return nil
}

// paced updates 100 objects a second.
func (u *updates) paced(ctx context.Context, writes int) error {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for n := range writes {
		<-tick.C
		if err := u.write(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// burst updates objects as fast as some writers can.
func (u *updates) burst(ctx context.Context, writes int) error {
	group, ctx := errgroup.WithContext(ctx)
	for w := range burstWriters {
		group.Go(func() error {
			for n := w; n < writes; n += burstWriters {
				if err := u.write(ctx, n); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// lost waits until a side has reconciled the last version of every object, and returns how many it never did.
func (u *updates) lost(b *testing.B, f *follower) (lost int) {
	b.Helper()
	for end := time.Now().Add(lostAfter); ; time.Sleep(20 * time.Millisecond) {
		seen := ask[[]uint64](b, f, "Last", updated)
		lost = 0
		for object, version := range u.last {
			if seen[object] != version {
				lost++
			}
		}
		if lost == 0 || time.Now().After(end) {
			return lost
		}
	}
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
func TestLatencies(t *testing.T) {
	at := time.Unix(100, 0)
	u := newUpdates(nil)
	u.acknowledged[7], u.acknowledged[8], u.acknowledged[9] = at, at, at
	got := u.latencies(harness.Noted{Notes: []harness.Note{
		{Version: 9, At: at.Add(2 * time.Millisecond).UnixNano()}, {Version: 9, At: at.Add(time.Second).UnixNano()},
		{Version: 7, At: at.Add(-time.Millisecond).UnixNano()}, {Version: 1, At: at.UnixNano()},
	}})
	if want := []time.Duration{0, 2 * time.Millisecond}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestPercentile(t *testing.T) {
	var all []time.Duration
	for i := range 200 {
		all = append(all, time.Duration(i+1))
	}
	if p, q, r := percentile(all, 0.5), percentile(all, 0.99), percentile(all, 1); p != 101 || q != 199 || r != 200 {
		t.Errorf("%d, %d, %d of 1 to 200", p, q, r)
	}
}
