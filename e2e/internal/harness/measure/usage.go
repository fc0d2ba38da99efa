package measure

import (
	"context"
	"time"
)

// Usage is what a process has used until a moment, and holds at it; memory in bytes.
type Usage struct {
	At                        time.Time
	CPU                       time.Duration
	Resident, Anonymous, Peak uint64
}

// Since is the share of one processor, in percent, since an earlier moment.
func (u Usage) Since(before Usage) float64 {
	wall := u.At.Sub(before.At)
	if wall <= 0 {
		return 0
	}
	return 100 * (u.CPU - before.CPU).Seconds() / wall.Seconds()
}

const (
	// calm is the share of a processor below which a process has settled, if it stays there for calmFor.
	calm    = 10.0
	calmFor = 5
	// settleLimit ends the waiting for that: one that never settles is measured as it is.
	settleLimit = 2 * time.Minute
)

// Settle waits until a process has done what it had to do.
func Settle(ctx context.Context, pid int) error {
	before, err := UsageOf(pid)
	if err != nil {
		return err
	}
	for seconds, end := 0, time.Now().Add(settleLimit); seconds < calmFor && time.Now().Before(end); seconds++ {
		now, err := UsageAfter(ctx, pid, time.Second)
		if err != nil {
			return err
		}
		if now.Since(before) > calm {
			seconds = -1
		}
		before = now
	}
	return nil
}

// UsageAfter is the usage after a time.
func UsageAfter(ctx context.Context, pid int, d time.Duration) (Usage, error) {
	select {
	case <-time.After(d):
		return UsageOf(pid)
	case <-ctx.Done():
		return Usage{}, context.Cause(ctx)
	}
}
