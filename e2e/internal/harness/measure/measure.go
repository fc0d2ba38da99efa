// SPDX-License-Identifier: Apache-2.0

// Package measure holds what the benchmarks and the soak measure with: medians, what a running process uses, and how busy
// the machine is. It does not run anything.
package measure

import (
	"slices"

	"github.com/prometheus/procfs"
)

// Median is the middle of some times or numbers, or the mean of the two in the middle; 0 if there are none.
func Median[T ~int64 | ~float64](all []T) T {
	all = slices.Sorted(slices.Values(all))
	n := len(all)
	if n == 0 {
		return 0
	}
	return (all[(n-1)/2] + all[n/2]) / 2
}

// Load is the load average of the last minute; 0 where the system does not have one in /proc.
func Load() float64 {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0
	}
	load, err := fs.LoadAvg()
	if err != nil {
		return 0
	}
	return load.Load1
}
