package measure

import "slices"

// Median is the middle of some times or numbers, or the mean of the two in the middle, and 0 where there is none.
func Median[T ~int64 | ~float64](all []T) T {
	all = slices.Sorted(slices.Values(all))
	n := len(all)
	if n == 0 {
		return 0
	}
	return (all[(n-1)/2] + all[n/2]) / 2
}
