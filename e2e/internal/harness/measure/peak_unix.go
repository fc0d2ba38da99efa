//go:build unix

package measure

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf reads what the system counted. Linux counts the largest of the process and of those that it waited for. What it
// counts is never below the memory of who started the process, so this program keeps small.
func peakOf(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
