package detect

import (
	"path"
	"strings"
)

// assign carries out an assignment, if there is one here.
func (s *shell) assign() bool {
	m := assignment.FindStringSubmatch(s.src[s.pos:min(len(s.src), s.pos+256)])
	if m == nil {
		return false
	}
	line := s.line
	s.pos += len(m[0])
	var values []string
	if s.pos < len(s.src) && s.src[s.pos] == '(' {
		s.pos++
		values = s.array()
	} else {
		values = []string{strings.Join(s.word(), " ")}
	}
	if m[2] == "+" {
		old := s.vars[m[1]]
		*s.spent += 16 * len(old)
		if len(old) == 1 && len(values) == 1 && !strings.HasSuffix(m[0], "(") && s.src[s.pos-1] != ')' {
			values = []string{old[0] + values[0]}
		} else {
			values = append(old[:len(old):len(old)], values...)
		}
	}
	s.set(m[1], values, line)
	return true
}

func (s *shell) set(name string, values []string, line int) {
	if len(values) > maxValues {
		return
	}
	// A name says more than an argument's number: clientgen=$1.
	if len(values) == 1 && len(values[0]) == 2 && values[0][0] == '$' {
		delete(s.vars, name)
		return
	}
	if *s.spent > maxSpent {
		return
	}
	s.vars[name] = values
	if s.onSet != nil {
		for _, v := range values {
			s.onSet(name, v, line)
		}
	}
}

// array reads the values up to the closing parenthesis.
func (s *shell) array() []string {
	values := []string{}
	for s.pos < len(s.src) {
		s.blank()
		if s.pos >= len(s.src) {
			break
		}
		switch s.src[s.pos] {
		case ')':
			s.pos++
			return values
		case '\n':
			s.pos++
			s.line++
			continue
		case ';', '&', '|', '(', '<', '>':
			s.pos++
			continue
		}
		values = append(values, s.word()...)
	}
	return values
}

// run gives the output of a text of commands, as far as they only make paths and words.
func (s *shell) run() (out string, ok bool) {
	for {
		c, more := s.next()
		if !more {
			return strings.TrimSpace(out), ok
		}
		arg := func(i int) string {
			if i < len(c.words) {
				return c.words[i]
			}
			return ""
		}
		last := c.words[len(c.words)-1]
		ok = true
		switch path.Base(c.words[0]) {
		case "cd", "pushd":
			s.cwd = s.abs(arg(1))
		case "pwd":
			out = s.cwd
		case "dirname":
			out = path.Dir(arg(1))
		case "basename":
			out = path.Base(arg(1))
		case "realpath", "readlink":
			out = s.abs(last)
		case "echo":
			out = strings.Join(c.words[1:], " ")
		case "unset", "set", "true", "shell":
		case "git":
			if arg(2) != "--show-toplevel" {
				return "", false
			}
			out = inRepo
		default:
			return "", false
		}
	}
}

func (s *shell) abs(p string) string {
	if strings.HasPrefix(p, "/") || strings.HasPrefix(p, "$") {
		return path.Clean(p)
	}
	return path.Join(s.cwd, p)
}
