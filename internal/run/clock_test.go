package run

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(time.Now())
		time.Sleep(time.Hour) // both clocks go on
		if jump := c.jump(time.Now()); jump != 0 {
			t.Errorf("an hour that passed is a jump of %s", jump)
		}
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
