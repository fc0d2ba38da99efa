// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// rangeOf is what the type and the format of a number allow: the maximum and the minimum. The API server knows the formats of integers only
// of fields of that type, and holds those without a format to that of int64.
func rangeOf(s *props) []bound {
	between := func(format string, lowest, highest float64) []bound {
		return []bound{{name: "maximum", value: &highest, upper: true, format: format}, {name: "minimum", value: &lowest, format: format}}
	}
	switch {
	case s.Type == "integer" && s.Format == "int32":
		return between(s.Format, math.MinInt32, math.MaxInt32)
	case s.Type == "integer":
		return between("int64", math.MinInt64, math.MaxInt64)
	case (s.Type == "number" || s.Type == "") && s.Format == "float":
		return between(s.Format, -math.MaxFloat32, math.MaxFloat32)
	}
	return nil
}

// values are the only values that a field had and has; nil for a field without an enum.
type values []any

// valuesOf are the values that both enums have, or the only enum.
func valuesOf(before, after limits) values {
	list := before.enum
	if list == nil {
		list = after.enum
	}
	if list == nil {
		return nil
	}
	all := values{}
	for _, text := range list {
		var value any
		if (after.enum == nil || slices.Contains(after.enum, text)) && json.Unmarshal([]byte(text), &value) == nil {
			all = append(all, value)
		}
	}
	return all
}

// lose reports whether a limit may refuse a value that the one before did not.
func (all values) lose(before, after func(any) bool) bool {
	return all == nil || slices.ContainsFunc(all, func(value any) bool { return after(value) && !before(value) })
}

// refuses reports whether a value is beyond a bound. Bounds say nothing about values of other types than their own.
func (b bound) refuses(value any) bool {
	if b.value == nil {
		return false
	}
	var n float64
	var of string
	switch value := value.(type) {
	case float64:
		n = value
	case string:
		n, of = float64(utf8.RuneCountInString(value)), "Length"
	case []any:
		n, of = float64(len(value)), "Items"
	case map[string]any:
		n, of = float64(len(value)), "Properties"
	default:
		return false
	}
	switch limit := *b.value; {
	case b.name == "multipleOf":
		times := n / limit
		return of == "" && math.Abs(times-math.Round(times)) > 1e-9
	case strings.TrimPrefix(strings.TrimPrefix(b.name, "max"), "min") != of && (of != "" || b.name != "maximum" && b.name != "minimum"):
		return false
	case n == limit:
		return b.exclusive
	default:
		return (n > limit) == b.upper
	}
}

// noneMatch reports of values whether they are strings that do not match one of the patterns.
func noneMatch(patterns []string) func(any) bool {
	return func(value any) bool {
		s, ok := value.(string)
		return ok && slices.ContainsFunc(patterns, func(pattern string) bool {
			expr, err := regexp.Compile(pattern)
			return err == nil && !expr.MatchString(s)
		})
	}
}
