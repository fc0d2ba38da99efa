package measure

import (
	"slices"
	"time"
)

// Median is the middle of some times, or the mean of the two in the middle, and 0 where there is none.
func Median(times []time.Duration) time.Duration {
	times = slices.Sorted(slices.Values(times))
	n := len(times)
	if n == 0 {
		return 0
	}
	return (times[(n-1)/2] + times[n/2]) / 2
}
