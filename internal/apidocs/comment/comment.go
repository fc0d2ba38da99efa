// SPDX-License-Identifier: Apache-2.0

// Package comment reads the comments of API types, as descriptions in CRDs have them, and writes them as Markdown and as HTML.
//
// What a comment has of Markdown is understood as far as people write it: paragraphs, lists, blocks of code, code in backticks, links. All else
// is text, and is shown as it is written: the package never lets a comment change the page around it.
package comment

import (
	"strings"
	"unicode"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// Text is a comment.
type Text []Block

// Block is a paragraph, a list or a block of code.
type Block struct {
	Paragraph []Inline
	Items     [][]Inline
	Ordered   bool // of Items
	Code      []string
}

// Inline is a part of a line: text, code, or a link with a text.
type Inline struct {
	Text string
	Code bool
	URL  string
}

var (
	bullet = lazyregexp.New(`^(\s*)(?:[-*+•]|(\d{1,2})[.)])\s+(\S.*)$`)
	fence  = lazyregexp.New("^\\s*(```+|~~~+)")
)

// Parse reads a comment.
func Parse(s string) Text {
	p := &parser{}
	for line := range strings.Lines(clean(s)) {
		p.line(strings.TrimRightFunc(line, unicode.IsSpace))
	}
	p.end()
	return p.text
}

// clean removes what no page can show.
func clean(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\t", "    ").Replace(strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, s)
}

// parser holds the block that is read.
type parser struct {
	text    Text
	words   []string   // of a paragraph
	items   [][]string // of a list
	ordered bool
	code    []string
	fenced  string // what opened the block of code
	blank   bool   // the line before was empty
}

func (p *parser) line(line string) {
	blank := p.blank
	p.blank = line == ""
	if p.fenced != "" {
		if m := fence.FindStringSubmatch(line); m != nil && strings.HasPrefix(m[1], p.fenced) {
			p.end()
			return
		}
		p.code = append(p.code, line)
		return
	}
	indented := strings.HasPrefix(line, "    ")
	switch m := bullet.FindStringSubmatch(line); {
	case line == "":
		if p.code != nil {
			p.code = append(p.code, "")
		} else if p.items == nil {
			p.end()
		}
	case p.code != nil && indented:
		p.code = append(p.code, line)
	case fence.MatchString(line):
		p.end()
		p.fenced, p.code = fence.FindStringSubmatch(line)[1], []string{}
	case m != nil && (p.items != nil || len(m[1]) < 8):
		if p.items != nil && p.ordered != (m[2] != "") && m[1] == "" || p.items == nil {
			p.end()
			p.ordered = m[2] != ""
		}
		p.items = append(p.items, []string{m[3]})
	case p.items != nil && (!blank || strings.HasPrefix(line, "  ")):
		last := len(p.items) - 1
		p.items[last] = append(p.items[last], strings.TrimSpace(line))
	case indented && p.words == nil:
		p.end()
		p.code = []string{line}
	default:
		if p.items != nil || p.code != nil {
			p.end()
		}
		p.words = append(p.words, strings.TrimSpace(line))
	}
}

// end ends the block that is read.
func (p *parser) end() {
	switch {
	case p.words != nil:
		p.text = append(p.text, Block{Paragraph: inlines(strings.Join(p.words, " "))})
	case p.items != nil:
		b := Block{Ordered: p.ordered}
		for _, item := range p.items {
			b.Items = append(b.Items, inlines(strings.Join(item, " ")))
		}
		p.text = append(p.text, b)
	case p.code != nil:
		if lines := outdent(p.code); len(lines) > 0 {
			p.text = append(p.text, Block{Code: lines})
		}
	}
	p.words, p.items, p.code, p.fenced = nil, nil, nil, ""
}

// outdent removes the indentation that all lines have, and empty lines at the end.
func outdent(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	least := -1
	for _, line := range lines {
		if n := len(line) - len(strings.TrimLeft(line, " ")); line != "" && (least < 0 || n < least) {
			least = n
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		if line != "" {
			out[i] = line[least:]
		}
	}
	return out
}

var (
	span = lazyregexp.New("``([^`]+)``|`([^`]+)`")
	link = lazyregexp.New(`\[([^\[\]]+)\]\((https?://[^\s()<>]+)\)`)
	bare = lazyregexp.New(`\bhttps?://[^\s<>"'` + "`" + `|\\^{}\[\]]+`)
)

// inlines finds code and links in a line.
func inlines(s string) (all []Inline) {
	add := func(i Inline) {
		if i.Text != "" {
			all = append(all, i)
		}
	}
	for s != "" {
		code, named, url := span.FindStringSubmatchIndex(s), link.FindStringSubmatchIndex(s), bare.FindStringIndex(s)
		switch {
		case first(code, named, url):
			add(Inline{Text: s[:code[0]]})
			text := s[max(code[2], 0):max(code[3], 0)]
			if code[2] < 0 {
				text = s[code[4]:code[5]]
			}
			add(Inline{Text: strings.TrimSpace(text), Code: true})
			s = s[code[1]:]
		case first(named, code, url):
			add(Inline{Text: s[:named[0]]})
			add(Inline{Text: s[named[2]:named[3]], URL: s[named[4]:named[5]]})
			s = s[named[1]:]
		case url != nil:
			end := url[0] + len(trimURL(s[url[0]:url[1]]))
			add(Inline{Text: s[:url[0]]})
			add(Inline{Text: s[url[0]:end], URL: s[url[0]:end]})
			s = s[end:]
		default:
			add(Inline{Text: s})
			return all
		}
	}
	return all
}

// first reports whether a match is there and begins before the others.
func first(m []int, others ...[]int) bool {
	for _, o := range others {
		if m == nil || o != nil && o[0] < m[0] {
			return false
		}
	}
	return m != nil
}

// trimURL leaves out the punctuation of the sentence around a URL.
func trimURL(url string) string {
	for {
		trimmed := strings.TrimRight(url, ".,;:!?*_~")
		if strings.HasSuffix(trimmed, ")") && strings.Count(trimmed, "(") < strings.Count(trimmed, ")") {
			trimmed = strings.TrimSuffix(trimmed, ")")
		}
		if trimmed == url {
			return url
		}
		url = trimmed
	}
}
