package measure

import (
	"fmt"
	"time"

	"github.com/prometheus/procfs"
)

// UsageOf reads what the system counts of a process.
func UsageOf(pid int) (Usage, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return Usage{}, fmt.Errorf("read process %d: %w", pid, err)
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
