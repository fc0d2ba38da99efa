package harness

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// status is a line of /proc/self/status, in bytes; 0 where there is none. The system's own count of the peak would begin with
// the memory of who started this process.
func status(field string) int64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

// collected is the memory that is left after collections: a second one frees what finalizers and pools held at the first.
func collected() Memory {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	debug.FreeOSMemory()
	return Memory{Heap: int64(m.HeapAlloc), Resident: status("VmRSS:")}
}
