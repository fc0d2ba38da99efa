// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"context"
	"time"

	"github.com/crdctl/crdctl/internal/ui"
)

const (
	// jumpLimit is by how much a clock may be set without any harm.
	jumpLimit = 30 * time.Second
	// lookAtClock is how often it is looked at.
	lookAtClock = time.Second
)

// jump is by how much the time of day went otherwise than the time that passed; 0 for little.
func jump(byDay, passed time.Duration) time.Duration {
	if d := byDay - passed; d.Abs() > jumpLimit {
		return d
	}
	return 0
}

// WatchClock reports that the time of day was set, or that the machine slept, until the context ends, and hands each jump on.
func WatchClock(ctx context.Context, reporter ui.Reporter) <-chan time.Duration {
	return watch(ctx, reporter, sinceLast(time.Now()))
}

// sinceLast returns a function that returns what went by since its last call: by the time of day, and by the clock that is never set.
func sinceLast(last time.Time) func() (byDay, passed time.Duration) {
	return func() (byDay, passed time.Duration) {
		now := time.Now()
		byDay, passed = now.Round(0).Sub(last.Round(0)), now.Sub(last) // Round drops the clock that is never set
		last = now
		return byDay, passed
	}
}

func watch(ctx context.Context, reporter ui.Reporter, read func() (byDay, passed time.Duration)) <-chan time.Duration {
	jumps := make(chan time.Duration, 1)
	go func() {
		tick := time.NewTicker(lookAtClock)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			d := jump(read())
			if d == 0 {
				continue
			}
			reporter.Note("the clock jumped by %s; leases and time-outs may end early or late", d.Round(time.Second))
			select {
			case jumps <- d:
			default: // the last one has not been taken yet
			}
		}
	}()
	return jumps
}
