package run

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crdctl/crdctl/internal/ui"
	"github.com/stretchr/testify/assert"
)

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(time.Now())
		time.Sleep(time.Hour) // both clocks go on
		assert.Zero(t, c.jump(time.Now()), "an hour that passed")
		// Round(0) drops the monotonic clock: what is left is a time of day that somebody set.
		for _, set := range []time.Duration{2 * time.Hour, -2 * time.Hour} {
			c = newClock(time.Now().Round(0))
			c.passed = func(time.Time) time.Duration { return time.Second }
			if jump := c.jump(time.Now().Round(0).Add(set)); (jump - set).Abs() > 2*time.Second {
				t.Errorf("a clock set by %s jumped by %s", set, jump)
			}
		}
	})
}

func TestClockIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var said bytes.Buffer
		c := newClock(time.Now())
		jumps := c.watch(ctx, ui.NewReporter(&said))
		time.Sleep(10 * lookAtClock)
		synctest.Wait()
		assert.LessOrEqual(t, said.Len(), 0, "said of a clock that goes on: %q", said.String())
		c.passed = func(now time.Time) time.Duration { // an hour less than the time of day says
			c.passed = func(now time.Time) time.Duration { return now.Sub(c.last) }
			return now.Sub(c.last) - time.Hour
		}
		time.Sleep(10 * lookAtClock)
		synctest.Wait()
		assert.Equal(t, "crdctl: the clock jumped by 1h0m0s; leases and time-outs may end early or late\n", said.String(), "said")
		assert.Equal(t, time.Hour, <-jumps, "the jump")
		cancel()
	})
}
