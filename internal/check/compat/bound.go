// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
)

// bound is a limit that is a number.
type bound struct {
	name      string
	value     *float64
	exclusive bool
	upper     bool
	format    string // whose range it is, if it is that of a format
	whole     bool   // it is one of integers
}

// last is the last integer within a bound.
func (b bound) last() float64 {
	switch n := math.Floor(*b.value); {
	case b.upper && b.exclusive && n == *b.value:
		return n - 1
	case b.upper, n == *b.value && !b.exclusive:
		return n
	default:
		return n + 1
	}
}

func (b bound) String() string {
	switch {
	case b.value == nil, b.format == "int64":
		return "none"
	case b.format != "":
		return fmt.Sprintf("%v (format %s)", formatted(*b.value), b.format)
	}
	s := formatted(*b.value)
	if b.exclusive {
		s += " (exclusive)"
	}
	return s
}

// ofRange reports whether a bound is that of a type and its format, and not one that was written.
func (b bound) ofRange() bool { return b.value == nil || b.format != "" }

// formatName is the format whose range a bound is of.
func (b bound) formatName(s *props) string {
	return cmp.Or(b.format, s.Type, "any value")
}

func formatted(f float64) string {
	if math.Abs(f) > math.MaxUint64 {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func (b bound) equal(other bound) bool {
	if b.value == nil || other.value == nil {
		return b.value == other.value
	}
	if b.whole {
		return b.last() == other.last()
	}
	return *b.value == *other.value && b.exclusive == other.exclusive
}

// tighter reports whether a bound excludes values that another one lets through.
func (b bound) tighter(than bound) bool {
	switch {
	case b.value == nil:
		return false
	case than.value == nil:
		return b.upper || *b.value > 0 || b.exclusive || b.name == "minimum" || b.name == "multipleOf"
	case *b.value == *than.value:
		return b.exclusive
	case b.name == "multipleOf":
		times := *than.value / *b.value // which is whole where all multiples of the one are multiples of the other
		return math.Abs(times-math.Round(times)) > 1e-9
	}
	return (*b.value < *than.value) == b.upper
}
