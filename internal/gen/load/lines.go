package load

import "bytes"

// This is as much of Go's lexical rules as it takes to know where a line of code ends: go/scanner reads every word, which takes
// as long as the parse that is to be saved.

// lineEnd is where the line of code at a place ends: at the first line break that is not within a string or comment.
func lineEnd(src []byte, at int) int {
	for at < len(src) && src[at] != '\n' {
		at = after(src, at)
	}
	return min(at, len(src))
}

// endsInCode tells whether the end of a piece of code is neither in a string nor in a comment that goes on.
func endsInCode(src []byte) bool {
	at := 0
	for at < len(src) {
		at = after(src, at)
	}
	return at == len(src)
}

// after is the place after the string, comment or other byte at a place. What goes on at the end of src leads beyond it.
func after(src []byte, at int) int {
	rest := src[at+1:]
	switch {
	case src[at] == '`':
		return afterNext(src, at+1, "`")
	case src[at] == '"', src[at] == '\'':
		return afterQuoted(src, at)
	case src[at] == '/' && bytes.HasPrefix(rest, []byte("*")):
		return afterNext(src, at+2, "*/")
	case src[at] == '/' && bytes.HasPrefix(rest, []byte("/")):
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			return at + 1 + i
		}
		return len(src)
	}
	return at + 1
}

func afterNext(src []byte, from int, end string) int {
	if i := bytes.Index(src[from:], []byte(end)); i >= 0 {
		return from + i + len(end)
	}
	return len(src) + 1
}

// afterQuoted is the place after a string or rune, which ends on its line if the file compiles.
func afterQuoted(src []byte, at int) int {
	quote := src[at]
	for at++; at < len(src) && src[at] != '\n'; at++ {
		switch src[at] {
		case '\\':
			at++
		case quote:
			return at + 1
		}
	}
	return at
}

// header is what stands before the package clause of a file: comments, in which build constraints are, and space.
func header(src []byte) []byte {
	at := 0
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		at = len("\ufeff")
	}
	for at < len(src) && (src[at] == '/' || bytes.IndexByte([]byte(" \t\r\n"), src[at]) >= 0) {
		at = after(src, at)
	}
	return src[:min(at, len(src))]
}
