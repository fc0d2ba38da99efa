// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"fmt"
	"time"

	"github.com/prometheus/procfs"
)

// Usage is what a process has used until a moment, and holds at it; memory in bytes.
type Usage struct {
	At                        time.Time
	CPU                       time.Duration
	Resident, Anonymous, Peak uint64
}

// UsageOf reads what Linux counts of a process.
func UsageOf(pid int) (Usage, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return Usage{}, fmt.Errorf("read process %d, which only works on Linux: %w", pid, err)
	}
	stat, err := p.Stat()
	if err != nil {
		return Usage{}, err
	}
	status, err := p.NewStatus()
	if err != nil {
		return Usage{}, err
	}
	return Usage{
		At: time.Now(), CPU: time.Duration(stat.CPUTime() * float64(time.Second)),
		Resident: status.VmRSS, Anonymous: status.RssAnon, Peak: status.VmHWM,
	}, nil
}

// ResidentOfTree returns the resident memory of a process and of all that descend from it. What they share counts once for each.
func ResidentOfTree(pid int) (uint64, error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return 0, fmt.Errorf("list processes, which only works on Linux: %w", err)
	}
	children := map[int][]int{}
	for _, p := range all {
		if stat, err := p.Stat(); err == nil { // others end while this looks
			children[stat.PPID] = append(children[stat.PPID], p.PID)
		}
	}
	total := uint64(0)
	for tree := []int{pid}; len(tree) > 0; {
		u, err := UsageOf(tree[0])
		if err != nil && tree[0] == pid {
			return 0, err
		}
		total += u.Resident
		tree = append(tree[1:], children[tree[0]]...)
	}
	return total, nil
}

// Since is the share of one processor, in percent, since an earlier moment.
func (u Usage) Since(before Usage) float64 {
	wall := u.At.Sub(before.At)
	if wall <= 0 {
		return 0
	}
	return 100 * (u.CPU - before.CPU).Seconds() / wall.Seconds()
}

// Settle waits until a process has used less than a tenth of a processor for some seconds in a row. After two minutes it
// gives up: a process that never settles is measured as it is.
func Settle(pid, seconds int) error {
	before, err := UsageOf(pid)
	for calm, end := 0, time.Now().Add(2*time.Minute); err == nil && calm < seconds && time.Now().Before(end); {
		time.Sleep(time.Second)
		var now Usage
		if now, err = UsageOf(pid); now.Since(before) > 10 {
			calm = -1
		}
		before = now
		calm++
	}
	return err
}
