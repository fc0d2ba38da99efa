// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bytes"
	"regexp"
)

// bodiless overwrites with blanks the functions that no generator asks for, and the bodies of the others, so
// that all else keeps its place. Functions cannot change types, and checking their signatures and looking up what they name is half of the
// time of a type check. A function with a marker in a comment, or after one, stays, since controller-tools collects those. It returns the
// file as it is where it does not look like Go.
func bodiless(src []byte) []byte {
	out := bytes.Clone(src)
	sizes := bytes.Contains(src, []byte(`"unsafe"`)) // a constant may be the size of what a function returns
	after := false                                   // a comment with a marker, with nothing but comments since then
	for at := 0; at < len(src); {
		if (at == 0 || src[at-1] == '\n') && bytes.HasPrefix(src[at:], []byte("func ")) {
			begin, end, marked := body(src, at)
			if begin > 0 && !sizes && !after && !asked.Match(src[at:begin]) && alone(src[end+1:]) {
				begin, end = at, end+1
			}
			if !marked {
				blank(out[min(begin, end):end])
			}
			at = max(end, at+1)
			after = false
			continue
		}
		switch c := src[at]; c {
		case ' ', '\t', '\r', '\n':
			at++
		case '`', '"', '\'', '/':
			next, marker := skip(src, at)
			after = marker || after && next > at+1 && c == '/'
			at = next
		default:
			after = false
			at++
		}
	}
	return out
}

// asked matches the functions that generators look for: the methods of types that copy and write themselves.
var asked = regexp.MustCompile(`^func +\([^()]*\) *(DeepCopy(Into|Object)?|(Unm|M)arshal(JSON|Text))\(`)

// alone reports whether nothing follows in a line.
func alone(rest []byte) bool {
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return len(bytes.TrimSpace(line)) == 0
}

// blank overwrites all but the ends of lines with spaces.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}

// body finds what is between the braces of the function that begins at a place, and reports whether there is a marker in it. The end is 0
// where there is no body.
func body(src []byte, at int) (begin, end int, marked bool) {
	var open []byte // the brackets around a place
	for at < len(src) {
		switch c := src[at]; c {
		case '\n':
			if len(open) == 0 {
				return 0, 0, false // it is written in assembly
			}
			at++
		case '(', '[', '{':
			if c == '{' && len(open) == 0 && !typeLiteral(src[:at]) {
				begin = at + 1
			}
			open = append(open, c)
			at++
		case ')', ']', '}':
			if len(open) == 0 {
				return 0, 0, false
			}
			if open = open[:len(open)-1]; begin > 0 && len(open) == 0 {
				return begin, at, marked
			}
			at++
		case '`', '"', '\'', '/':
			next, marker := skip(src, at)
			at, marked = next, marked || marker
		default:
			at++
		}
	}
	return 0, 0, false
}

// typeLiteral reports whether a brace after this text belongs to a type.
func typeLiteral(before []byte) bool {
	before = bytes.TrimRight(before, " \t")
	return bytes.HasSuffix(before, []byte("struct")) || bytes.HasSuffix(before, []byte("interface"))
}

// skip is the place after a literal, a comment or a single character, and reports whether that is a comment with a marker.
func skip(src []byte, at int) (next int, marker bool) {
	after := func(end string) int {
		if i := bytes.Index(src[at+1:], []byte(end)); i >= 0 {
			return at + 1 + i + len(end)
		}
		return len(src)
	}
	switch c := src[at]; {
	case c == '`':
		return after("`"), false
	case c == '"' || c == '\'':
		for i := at + 1; i < len(src) && src[i] != '\n'; i++ {
			switch src[i] {
			case '\\':
				i++
			case c:
				return i + 1, false
			}
		}
	case bytes.HasPrefix(src[at:], []byte("//")):
		next = after("\n") - 1
		if next < at+2 {
			next = len(src)
		}
		return next, hasPlus(src[at:next])
	case bytes.HasPrefix(src[at:], []byte("/*")):
		at++ // "/*/" is no end
		next = after("*/")
		return next, hasPlus(src[at-1 : next])
	}
	return at + 1, false
}

// hasPlus reports whether a line of a comment may be a marker.
func hasPlus(comment []byte) bool {
	for _, line := range bytes.Split(comment, []byte("\n")) {
		if bytes.HasPrefix(bytes.TrimLeft(line, "/* \t"), []byte("+")) {
			return true
		}
	}
	return false
}
