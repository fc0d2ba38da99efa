// SPDX-License-Identifier: Apache-2.0

package model

import (
	"strconv"
	"strings"
	"time"
)

// Duration is a time in a sentence: of at most three digits, as "40 µs", "3 ms", "1.2 s" or "4 min".
func Duration(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d < 0:
		return "0 ms"
	case d > 0 && d < 95*time.Microsecond:
		return trim(float64(d)/float64(time.Microsecond)) + " µs"
	case d < time.Second:
		return trim(float64(d)/float64(time.Millisecond)) + " ms"
	case d < 2*time.Minute:
		return trim(d.Seconds()) + " s"
	default:
		return trim(d.Minutes()) + " min"
	}
}

// trim prints with one decimal below ten, and without one that is zero.
func trim(f float64) string {
	decimals := 0
	if f < 9.95 {
		decimals = 1
	}
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', decimals, 64), ".0")
}
