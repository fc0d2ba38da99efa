package measure

import (
	"fmt"
	"os"
	"runtime"
)

// Load is the load average of the last minute, and 0 where the system does not say it so.
func Load() (load float64) {
	data, err := os.ReadFile("/proc/loadavg")
	if err == nil {
		_, err = fmt.Sscan(string(data), &load)
	}
	if err != nil {
		return 0
	}
	return load
}

// Busy tells whether a load is one at which times mean little.
func Busy(load float64) bool { return load > float64(runtime.NumCPU())/2 }

// Machine says what was measured on.
func Machine() string {
	return fmt.Sprintf("%s, %s/%s, %d processors", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}
