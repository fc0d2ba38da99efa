package main

import (
	"fmt"
	"time"

	"github.com/prometheus/procfs"
)

// usageOf reads what the system counts of a process.
func usageOf(pid int) (usage, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return usage{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	stat, err := p.Stat()
	if err != nil {
		return usage{}, err
	}
	status, err := p.NewStatus()
	if err != nil {
		return usage{}, err
	}
	return usage{
		at: time.Now(), cpu: time.Duration(stat.CPUTime() * float64(time.Second)),
		resident: status.VmRSS, anonymous: status.RssAnon, peak: status.VmHWM,
	}, nil
}
