package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/e2e/bench/loop/harness"
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
	mu           sync.Mutex
	acknowledged map[uint64]time.Time // by resourceVersion
	last         map[int]uint64       // resourceVersion of an object
}

func newUpdates() *updates {
	return &updates{acknowledged: map[uint64]time.Time{}, last: map[int]uint64{}}
}

// write updates an object and keeps what became of it.
func (u *updates) write(ctx context.Context, p *plane, object int) error {
	version, at, err := p.bump(ctx, object)
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
func (u *updates) paced(ctx context.Context, p *plane, d time.Duration) error {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for n, end := 0, time.Now().Add(d); time.Now().Before(end); n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := u.write(ctx, p, n%min(updated, p.filled)); err != nil {
			return err
		}
	}
	return nil
}

// burst updates objects as fast as some writers can.
func (u *updates) burst(ctx context.Context, p *plane, writes int) error {
	group, ctx := errgroup.WithContext(ctx)
	for w := range burstWriters {
		group.Go(func() error {
			for n := w; n < writes; n += burstWriters {
				if err := u.write(ctx, p, n%min(updated, p.filled)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// seen waits until a side has reconciled the last version of every object, and returns how many it never did.
func (u *updates) seen(ctx context.Context, f *follower) (lost int, err error) {
	for end := time.Now().Add(lostAfter); ; {
		seen, err := ask[harness.Seen](ctx, f, "last", "last %d", updated)
		if err != nil {
			return 0, err
		}
		lost = 0
		for object, version := range u.last {
			if seen.Last[object] != version {
				lost++
			}
		}
		if lost == 0 || time.Now().After(end) {
			return lost, nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// latencies are the times from a write's acknowledgement to the start of the reconcile that saw it, the shortest first. A
// write that another one overtook has none. Where the watch was faster than the answer, it is 0: nobody could have waited.
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

// phase is what a side did while objects were updated.
type phase struct {
	writes, reconciles, lost int
	latencies                []time.Duration
	cpu                      time.Duration // of the side
}

// follow has objects updated, and looks at what a side does.
func (f *follower) phase(ctx context.Context, expected int, write func(*updates) error) (phase, error) {
	u := newUpdates()
	// Twice as many as are written: more than one reconcile for a write is to be seen, too.
	if _, err := ask[harness.Begun](ctx, f, "begun", "begin %d", 2*expected+1000); err != nil {
		return phase{}, err
	}
	if err := write(u); err != nil {
		return phase{}, err
	}
	lost, err := u.seen(ctx, f)
	if err != nil {
		return phase{}, err
	}
	noted, err := ask[harness.Noted](ctx, f, "noted", "end")
	if err != nil {
		return phase{}, err
	}
	p := phase{writes: len(u.acknowledged), reconciles: int(noted.Count), lost: lost, latencies: u.latencies(noted), cpu: noted.CPU}
	if len(p.latencies) == 0 {
		return p, fmt.Errorf("none of %d updates was seen", p.writes)
	}
	return p, nil
}

// percentile is the time that a share of them is not above.
func percentile(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}
