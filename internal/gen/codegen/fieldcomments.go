// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"bytes"
	"go/doc/comment"
	"strings"
)

// SameButFieldComments reports whether two generated files differ only in what gofmt of different releases of Go makes of the comments
// of fields. Generators write these unindented, and up to Go 1.26 gofmt reformats such a comment as that of a declaration: it takes
// empty lines at the end away, and changes quotes. Upstream's bytes depend on the Go that its programs are built with.
func SameButFieldComments(a, b []byte) bool {
	return bytes.Equal(a, b) || bytes.Equal(plainComments(a), plainComments(b))
}

// plainComments is a file with its indented comments as gofmt would have them, were they of declarations.
func plainComments(src []byte) []byte {
	var out bytes.Buffer
	var text strings.Builder
	indent := ""
	flush := func() {
		if text.Len() == 0 {
			return
		}
		var p comment.Parser
		for line := range bytes.Lines((&comment.Printer{}).Comment(p.Parse(text.String()))) {
			out.WriteString(indent + "// " + string(line))
		}
		text.Reset()
	}
	for line := range strings.Lines(string(src)) {
		inner := strings.TrimLeft(line, "\t")
		rest, ok := strings.CutPrefix(inner, "//")
		if !ok || inner == line {
			flush()
			out.WriteString(line)
			continue
		}
		indent = line[:len(line)-len(inner)]
		text.WriteString(strings.TrimPrefix(rest, " "))
	}
	flush()
	return out.Bytes()
}
