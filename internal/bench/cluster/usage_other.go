//go:build !linux

package main

import "errors"

// usageOf knows nothing: only Linux counts it in this way.
func usageOf(int) (usage, error) {
	return usage{}, errors.New("memory and processor time of a running process are read on Linux only; leave idle out of BENCH_CLUSTER")
}
