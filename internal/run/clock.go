package run

import (
	"context"
	"time"

	"github.com/crdctl/crdctl/internal/ui"
)

const (
	// jumpLimit is by how much a clock is set without anybody minding.
	jumpLimit = 30 * time.Second
	// lookAtClock is how often it is looked at.
	lookAtClock = time.Second
)

// clock notices that the time of day was set, or that the machine slept.
type clock struct {
	last   time.Time
	passed func(now time.Time) time.Duration // since last, by the clock that nobody sets
}

func newClock(now time.Time) *clock {
	c := &clock{last: now}
	c.passed = func(now time.Time) time.Duration { return now.Sub(c.last) }
	return c
}

// jump returns by how much the time of day went otherwise than the time that passed since the last call; 0 for little.
func (c *clock) jump(now time.Time) time.Duration {
	passed := c.passed(now)
	byDay := now.Round(0).Sub(c.last.Round(0)) // Round drops the clock that nobody sets
	c.last = now
	if jump := byDay - passed; jump.Abs() > jumpLimit {
		return jump
	}
	return 0
}

// watch says each jump, until the context ends, and hands it on to whoever has something to mend.
func (c *clock) watch(ctx context.Context, reporter ui.Reporter) <-chan time.Duration {
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
			jump := c.jump(time.Now())
			if jump == 0 {
				continue
			}
			reporter.Note("the clock jumped by %s; leases and time-outs may end early or late", jump.Round(time.Second))
			select {
			case jumps <- jump:
			default: // nobody has taken the last one yet
			}
		}
	}()
	return jumps
}
