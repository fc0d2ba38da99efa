// SPDX-License-Identifier: Apache-2.0

// Package text has what several packages do with words: which name a misspelled one was meant to be, shortening, and a number with its noun.
//
// It does not know what the words are about; package yamldoc below it reads documents.
package text

import (
	"strings"
	"unicode"
)

// DidYouMean returns the candidate that a misspelled name was most likely meant to be, or "". Of several that are equally near
// it is the first.
//
// Names are the same but for case and punctuation, or but for the part of the candidate up to its last colon, slash or dot, as
// in resource.Quantity; or they differ by slips: a letter too many, missing, wrong, or swapped with the next. One slip is
// tolerated in a candidate of 4 to 7 letters, two in a longer one, and none in a shorter one, because there every other word
// is one slip away. Only the last part of a candidate counts as its length: what comes before is the same in many names, and
// makes none of them alike. Words that differ in min and max, and the like, are not slips.
func DidYouMean(name string, candidates []string) string {
	best, least := "", 1<<30
	for _, c := range candidates {
		if folded := Fold(name); c == name || folded == Fold(c) || folded == Fold(last(c)) && folded != "" {
			return c
		}
		if d := Distance(strings.ToLower(name), strings.ToLower(c)); d < least && d <= tolerance(name, c) {
			best, least = c, d
		}
	}
	return best
}

func tolerance(name, candidate string) int {
	deep := strings.Count(candidate, ":") > 1 // few names are as deep, so that short ones are not one slip from every other
	name, candidate = last(name), last(candidate)
	switch n := len(candidate); {
	case n < 4 && !deep, min(n, len(name)) < 2, opposite(name, candidate):
		return 0
	case n < 8:
		return 1
	default:
		return 2
	}
}

func last(name string) string { return name[strings.LastIndexAny(name, ":/.")+1:] }

// opposite reports whether words differ in one syllable and in all of their meaning.
func opposite(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	for _, pair := range [][2]string{{"min", "max"}, {"least", "most"}, {"and", "or"}} {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			if strings.Contains(a, p[0]) && strings.Replace(a, p[0], p[1], 1) == b {
				return true
			}
		}
	}
	return false
}

// Distance counts the letters to insert, remove, replace or swap with the next to get from a to b. Beyond 3 it may be any
// greater number.
func Distance(a, b string) int {
	if d := len(a) - len(b); d > 3 || d < -3 {
		return 1 << 20 // far enough for every caller
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	var older []int
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		older, before = before, row
		row = make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(before[j]+1, row[j-1]+1, before[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// Fold returns the letters and digits of a name, in lower case.
func Fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
