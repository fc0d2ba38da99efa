// SPDX-License-Identifier: Apache-2.0

package text

import "unicode/utf8"

// Cut returns the beginning of s, of at most limit bytes, and never half a character at its end.
func Cut[T ~string | ~[]byte](s T, limit int) T {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// Shorten returns s, or its beginning and an ellipsis, of at most limit bytes.
func Shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return Cut(s, limit-len("…")) + "…"
}

// Differ returns two strings of at most limit bytes each, of which what differs is visible: of long strings, the part around the first
// difference, with an ellipsis where something is left out.
func Differ(a, b string, limit int) (string, string) {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	if max(len(a), len(b)) <= limit || same < limit/2 {
		return Shorten(a, limit), Shorten(b, limit)
	}
	from := same - limit/4
	for from > 0 && !utf8.RuneStart(a[from]) {
		from--
	}
	return Shorten("…"+a[from:], limit), Shorten("…"+b[from:], limit)
}
