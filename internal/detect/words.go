package detect

import (
	"strings"
)

// pieces gathers the values of one word: an array in it makes it several.
type pieces struct {
	done []string
	last strings.Builder
	some bool // there is a last value, if only an empty one in quotes
}

func (p *pieces) add(text string) {
	if p.last.Len()+len(text) <= maxWord {
		p.last.WriteString(text)
	}
	p.some = true
}

// spread adds values of which each but the last ends a word.
func (p *pieces) spread(values []string) {
	for i, v := range values {
		if i > 0 && len(p.done) < maxValues {
			p.done = append(p.done, p.last.String())
			p.last.Reset()
		}
		p.add(v)
	}
}

func (p *pieces) values() []string {
	if p.some {
		return append(p.done, p.last.String())
	}
	return p.done
}

// word reads one word and returns what it stands for: mostly one value.
func (s *shell) word() []string {
	var p pieces
	start := s.pos
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; c {
		case ' ', '\t', '\r', '\n', ';', '&', '|', '(', ')', '>':
			if s.pos == start {
				s.pos++ // never stay
				return nil
			}
			if c == '>' && isNumber(p.last.String()) {
				return nil // 2>
			}
			return p.values()
		case '<':
			if !strings.HasPrefix(s.src[s.pos:], "<(") {
				if s.pos == start {
					s.pos++
				}
				return p.values()
			}
			s.pos += 2
			p.add("<(" + s.until('(', ')') + ")")
		case '\\':
			s.escaped(&p)
		case '\'':
			p.add(s.enclosed("'"))
		case '"':
			s.pos++
			s.quoted(&p)
		case '`':
			p.add(s.output(s.enclosed("`")))
		case '$':
			values := s.dollar()
			if len(values) == 1 && !strings.Contains(values[0], "$") {
				values = strings.Fields(values[0])
			}
			p.spread(values)
		default:
			p.add(s.src[s.pos : s.pos+1])
			s.pos++
		}
	}
	return p.values()
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// quoted reads up to the closing double quote.
func (s *shell) quoted(p *pieces) {
	p.some = true
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; c {
		case '"':
			s.pos++
			return
		case '\\':
			s.escaped(p)
		case '$':
			p.spread(s.dollar())
		case '`':
			p.add(s.output(s.enclosed("`")))
		default:
			if c == '\n' {
				s.line++
			}
			p.add(s.src[s.pos : s.pos+1])
			s.pos++
		}
	}
}

// escaped reads a backslash and what it stands before: itself, or nothing at the end of a line.
func (s *shell) escaped(p *pieces) {
	s.pos++
	if s.pos >= len(s.src) {
		return
	}
	if s.src[s.pos] == '\n' {
		s.line++
	} else {
		p.add(s.src[s.pos : s.pos+1])
	}
	s.pos++
}

// enclosed reads a quote of one character and what is between it and the next one, in which nothing is special.
func (s *shell) enclosed(quote string) string {
	s.pos++
	text, _, _ := strings.Cut(s.src[s.pos:], quote)
	s.line += strings.Count(text, "\n")
	s.pos = min(s.pos+len(text)+1, len(s.src))
	return text
}

// until reads up to the bracket that closes the one before, and returns what is between.
func (s *shell) until(opening, closing byte) string {
	start, depth := s.pos, 1
	var quote byte
	for ; s.pos < len(s.src); s.pos++ {
		c := s.src[s.pos]
		if c == '\n' {
			s.line++
		}
		switch {
		case c == '\\':
			s.pos++
			if s.pos < len(s.src) && s.src[s.pos] == '\n' {
				s.line++
			}
		case quote == '\'':
			if c == quote {
				quote = 0
			}
		case c == '\'' && quote == 0:
			quote = c
		case c == '"':
			quote ^= '"'
		case c == opening:
			depth++
		case c == closing:
			if depth--; depth == 0 {
				text := s.src[start:s.pos]
				s.pos++
				return text
			}
		}
	}
	s.pos = len(s.src)
	return s.src[min(start, len(s.src)):]
}
