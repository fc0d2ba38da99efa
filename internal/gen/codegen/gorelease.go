// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"bytes"
	"go/doc/comment"
	"strings"
)

// SameButGo reports whether two generated files differ only in what different releases of Go make of one type and of comments. Upstream's bytes
// depend on the Go that its programs are built with.
//
// Generators write the comments of fields unindented, and up to Go 1.26 gofmt reformats such a comment as that of a declaration: it takes
// empty lines at the end away, and changes quotes. Since Go 1.27 json.RawMessage is an alias of jsontext.Value, which generators name instead.
func SameButGo(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	a, b = rawMessages(a), rawMessages(b)
	return bytes.Equal(a, b) || bytes.Equal(plainComments(a), plainComments(b))
}

var jsonNames = strings.NewReplacer(
	"\tjsontext \"encoding/json/jsontext\"\n", "\t\"encoding/json\"\n",
	"\t\"encoding/json/jsontext\"\n", "\t\"encoding/json\"\n",
	"\tjson \"encoding/json\"\n", "\t\"encoding/json\"\n",
	"jsontext.Value", "json.RawMessage")

// rawMessages is a file with the name that json.RawMessage has before Go 1.27, and its import without another one.
func rawMessages(src []byte) []byte {
	if !bytes.Contains(src, []byte("jsontext.Value")) && !bytes.Contains(src, []byte("json.RawMessage")) {
		return src
	}
	return []byte(jsonNames.Replace(string(src)))
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
