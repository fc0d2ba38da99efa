// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// said marks lines of comments: two types that differ in nothing else are one.
const said = "\x01"

// width is where a line of a comment is broken that is longer.
const width = 110

// comment makes a comment of any text, one that means nothing to Go or to a generator: line comments, so that no
// terminator ends them; no line that begins with a plus, which would be a marker; nothing that a Go file must not have.
func comment(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = printable(line)
		switch {
		case strings.HasPrefix(line, "+"):
			line = `\` + line
		case strings.HasPrefix(line, "Deprecated:") && len(lines) > 0 && lines[len(lines)-1] != "":
			lines = append(lines, "") // else the tools that look for it do not see it
		}
		lines = append(lines, broken(line)...)
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out strings.Builder
	blank := true // none at the top, and one at a time
	for _, line := range lines {
		if line == "" && blank {
			continue
		}
		blank = line == ""
		out.WriteString(strings.TrimRight("//"+said+" "+line, " ") + "\n")
	}
	return out.String()
}

// printable is a line without control characters, and without space at its ends.
func printable(line string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == marks[0] || r == marks[1]:
			return r
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, line))
}

// broken breaks a line between words, so that no part of it begins with a plus.
func broken(line string) []string {
	var lines []string
	for len(line) > width {
		at := strings.LastIndex(line[:width], " ")
		for at > 0 && strings.HasPrefix(line[at+1:], "+") {
			at = strings.LastIndex(line[:at], " ")
		}
		if at <= 0 {
			break // one word, or nothing but words that begin with a plus
		}
		lines = append(lines, line[:at])
		line = strings.TrimSpace(line[at:])
	}
	return append(lines, line)
}

// marks are around what stands for the name of a type, and in no text that a user wrote: documentation takes them out.
var marks = [2]rune{'\x02', '\x03'}

// documentation is the description of a schema and what else it has that only documents.
func documentation(s *schema) string {
	text := s.Description
	add := func(label, more string) {
		if more != "" {
			text = strings.TrimSpace(text+"\n\n") + "\n\n" + label + ": " + strings.ReplaceAll(more, "\n", " ")
		}
	}
	if s.Title != "" && !strings.Contains(text, s.Title) {
		add("Title", s.Title)
	}
	if s.Example != nil {
		add("Example", string(s.Example.Raw))
	}
	if s.ExternalDocs != nil {
		add("See", strings.TrimSpace(s.ExternalDocs.Description+" "+s.ExternalDocs.URL))
	}
	text = strings.TrimLeft(strings.NewReplacer(string(marks[0]), "", string(marks[1]), "").Replace(text), "\n")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}
