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
