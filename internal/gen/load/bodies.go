// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"regexp"
)

var (
	doNotEdit   = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.\r?$`)
	packageLine = regexp.MustCompile(`(?m)^package\s`)
)

// withoutBodies is a file that a tool generated without the lines in its function bodies, which no generator reads and which are most of
// such a file: those for protocol buffers are most of an API. All else stays in its line. A body stays if it has a comment, which gengo may
// find above the next declaration, and so do all bodies of a file in which a line may begin inside of a string or a comment. Files that
// people write stay as they are: a mistake in a body is to be reported.
func withoutBodies(src []byte) []byte {
	clause := packageLine.FindIndex(src)
	if clause == nil || !doNotEdit.Match(src[:clause[0]]) {
		return src
	}
	rest := src[clause[0]:]
	if spansLines(rest) {
		return src
	}
	out := make([]byte, 0, len(src)/2)
	out = append(out, src[:clause[0]]...)
	for {
		at := bytes.Index(rest, []byte("\nfunc "))
		if at < 0 {
			return append(out, rest...)
		}
		line := bytes.IndexByte(rest[at+1:], '\n')
		if line < 0 {
			return append(out, rest...)
		}
		begin := at + 1 + line // the end of the line of func
		out, rest = append(out, rest[:begin]...), rest[begin:]
		if !opensBody(out[len(out)-line:]) {
			continue
		}
		end := bytes.Index(rest, []byte("\n}\n"))
		if end < 0 || !balanced(rest[:end]) {
			continue
		}
		for range bytes.Count(rest[:end], []byte("\n")) {
			out = append(out, '\n')
		}
		rest = rest[end:]
	}
}

// spansLines reports whether a raw string or a block comment goes on in the next line.
func spansLines(code []byte) bool {
	for {
		next := nextSpecial(code, 0)
		if next == len(code) {
			return false
		}
		begin, end := bytes.LastIndexByte(code[:next], '\n')+1, bytes.IndexByte(code[next:], '\n')
		if end < 0 {
			end = len(code) - next
		}
		if raw, block := scan(code[begin:next+end], false, false); raw || block {
			return true
		}
		code = code[next+end:]
	}
}

// opensBody reports whether a line that begins with func ends with the brace of the body, and not with that of a type.
func opensBody(line []byte) bool {
	before, ok := bytes.CutSuffix(line, []byte("{"))
	before = bytes.TrimRight(before, " \t")
	return ok && !bytes.HasSuffix(before, []byte("interface")) && !bytes.HasSuffix(before, []byte("struct"))
}

// balanced reports whether code without strings of several lines closes each brace that it opens, and no other, and has no comment.
func balanced(code []byte) bool {
	open := 0
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case '{':
			open++
		case '}':
			if open--; open < 0 {
				return false
			}
		case '/':
			if i+1 < len(code) && (code[i+1] == '/' || code[i+1] == '*') {
				return false
			}
		case '`':
			end := bytes.IndexByte(code[i+1:], c)
			if end < 0 {
				return false
			}
			i += end + 1
		case '"', '\'':
			for i++; i < len(code) && code[i] != c; i++ {
				if code[i] == '\\' {
					i++
				}
			}
		}
	}
	return open == 0
}
