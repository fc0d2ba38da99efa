package main

import (
	"context"
	"time"
)

// usage is what a process has used until a moment, and holds at it; memory in bytes.
type usage struct {
	at                        time.Time
	cpu                       time.Duration
	resident, anonymous, peak uint64
}

// since is the share of one processor, in percent, since an earlier moment.
func (u usage) since(before usage) float64 {
	wall := u.at.Sub(before.at)
	if wall <= 0 {
		return 0
	}
	return 100 * (u.cpu - before.cpu).Seconds() / wall.Seconds()
}

const (
	// calm is the share of a processor below which a process has settled, if it stays there for calmFor.
	calm    = 10.0
	calmFor = 5
	// settleLimit ends the waiting for that: one that never settles is measured as it is.
	settleLimit = 2 * time.Minute
)

// settle waits until a process has done what it had to do.
func settle(ctx context.Context, pid int) error {
	before, err := usageOf(pid)
	if err != nil {
		return err
	}
	for seconds, end := 0, time.Now().Add(settleLimit); seconds < calmFor && time.Now().Before(end); seconds++ {
		now, err := usageAfter(ctx, pid, time.Second)
		if err != nil {
			return err
		}
		if now.since(before) > calm {
			seconds = -1
		}
		before = now
	}
	return nil
}

// usageAfter is the usage after a time.
func usageAfter(ctx context.Context, pid int, d time.Duration) (usage, error) {
	select {
	case <-time.After(d):
		return usageOf(pid)
	case <-ctx.Done():
		return usage{}, context.Cause(ctx)
	}
}
