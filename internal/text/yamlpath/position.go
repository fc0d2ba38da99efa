// SPDX-License-Identifier: Apache-2.0

package yamlpath

import (
	"bytes"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Position is where a byte of a text's value is in its source, each counted from 1; the offset counts from 0. It is false for what is written
// in a way that it does not follow.
func Position(src []byte, node *yaml.Node, offset int) (line, column int, ok bool) {
	if node.Kind != yaml.ScalarNode || offset < 0 || offset > len(node.Value) {
		return 0, 0, false
	}
	s := scalar{rest: src, style: node.Style &^ yaml.TaggedStyle}
	if !s.skipTo(node.Line, node.Column) || !s.open() {
		return 0, 0, false
	}
	for value := node.Value[:offset]; value != ""; {
		n := s.next(value)
		if n < 0 {
			return 0, 0, false
		}
		value = value[n:]
	}
	before := src[:len(src)-len(s.rest)]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]), true
}

// scalar is what is left of the source of a text.
type scalar struct {
	rest   []byte
	style  yaml.Style
	indent int // of the lines of a block
}

// skipTo goes to a place.
func (s *scalar) skipTo(line, column int) bool {
	for range line - 1 {
		if !s.skipLine() {
			return false
		}
	}
	for range column - 1 {
		_, n := utf8.DecodeRune(s.rest)
		if n == 0 {
			return false
		}
		s.rest = s.rest[n:]
	}
	return true
}

func (s *scalar) skipLine() bool {
	_, rest, ok := bytes.Cut(s.rest, []byte("\n"))
	s.rest = rest
	return ok
}

// open goes to the first byte of the text.
func (s *scalar) open() bool {
	switch s.style {
	case yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle:
		if len(s.rest) == 0 || s.rest[0] != '\'' && s.rest[0] != '"' {
			return false // a tag or an anchor
		}
		s.rest = s.rest[1:]
	case yaml.LiteralStyle, yaml.FoldedStyle:
		if !s.skipLine() {
			return false
		}
		s.indent = len(s.rest) - len(bytes.TrimLeft(s.rest, " "))
		s.rest = s.rest[s.indent:]
	}
	return true
}

// next goes over what stands for the beginning of a value, and returns how much of it that is; a negative number if it does not know.
func (s *scalar) next(value string) int {
	escaped := func(text string) bool {
		if bytes.HasPrefix(s.rest, []byte(text)) {
			s.rest = s.rest[len(text):]
			return true
		}
		return false
	}
	switch {
	case len(s.rest) == 0:
		return -1
	case s.rest[0] == '\n' && s.style == yaml.LiteralStyle:
		s.rest = s.rest[1:]
		s.rest = s.rest[min(s.indent, len(s.rest)-len(bytes.TrimLeft(s.rest, " "))):]
		return is(value[0] == '\n')
	case s.rest[0] == '\n':
		s.rest = bytes.TrimLeft(s.rest[1:], " \t")
		return is(value[0] == ' ')
	case s.style == yaml.SingleQuotedStyle && s.rest[0] == '\'':
		return is(value[0] == '\'' && escaped("''"))
	case s.style == yaml.DoubleQuotedStyle && s.rest[0] == '\\':
		if escaped("\\\n") {
			s.rest = bytes.TrimLeft(s.rest, " \t")
			return 0
		}
		for text, meant := range map[string]byte{`\"`: '"', `\\`: '\\', `\/`: '/', `\n`: '\n', `\t`: '\t', `\ `: ' '} {
			if value[0] == meant && escaped(text) {
				return 1
			}
		}
		return -1
	}
	return is(escaped(value[:1]))
}

// is is one byte, if it is as it must be.
func is(right bool) int {
	if right {
		return 1
	}
	return -1
}
