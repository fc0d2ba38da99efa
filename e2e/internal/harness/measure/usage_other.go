//go:build !linux

package measure

import "errors"

// UsageOf knows nothing: only Linux counts it in this way.
func UsageOf(int) (Usage, error) {
	return Usage{}, errors.New("memory and processor time of a running process are read on Linux only; leave idle out of BENCH_CLUSTER")
}
