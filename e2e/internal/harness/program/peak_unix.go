// SPDX-License-Identifier: Apache-2.0

//go:build unix

package program

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf reads what the system counted. Linux counts the largest of the process and of those that it waited for. The
// count is never below the memory of the process that started it, so a benchmark has to stay small.
func peakOf(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin":
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
