// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// matching makes a short text that matches a pattern, for the sample. Repetitions are taken as often as they must be, and
// extra times more. It is a guess: assertions are skipped, so the caller must look whether it matches. The libraries
// that do this draw by chance, and a sample must come out the same every time.
func matching(pattern string, extra int) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	build(&b, re, extra)
	return b.String()
}

// enough bounds what nested repetitions can blow up to.
const enough = 1 << 12

func build(b *strings.Builder, re *syntax.Regexp, extra int) {
	if b.Len() > enough {
		return
	}
	repeat := func(low, high int) {
		n := low + extra
		if high >= 0 {
			n = min(n, high)
		}
		for range n {
			if b.Len() > enough {
				return
			}
			build(b, re.Sub[0], extra)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			b.WriteRune(r)
		}
	case syntax.OpCharClass:
		b.WriteRune(likely(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune('a')
	case syntax.OpCapture:
		build(b, re.Sub[0], extra)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			build(b, sub, extra)
		}
	case syntax.OpAlternate:
		build(b, re.Sub[min(extra, len(re.Sub)-1)], extra)
	case syntax.OpStar:
		repeat(0, -1)
	case syntax.OpPlus:
		repeat(1, -1)
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpRepeat:
		repeat(re.Min, re.Max)
	}
}

// likely is the character of a class that a person would take first.
func likely(ranges []rune) rune {
	in := func(r rune) bool {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= r && r <= ranges[i+1] {
				return true
			}
		}
		return false
	}
	for _, r := range "aA1b0-." {
		if in(r) {
			return r
		}
	}
	for r := rune(' '); r < unicode.MaxASCII; r++ {
		if in(r) {
			return r
		}
	}
	if len(ranges) == 0 {
		return 'a'
	}
	return ranges[0]
}
