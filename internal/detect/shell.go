package detect

import (
	"maps"
	"regexp"
	"strings"
)

// shell reads a script as far as it can be read without running it: its commands, with the words that variables and
// well-known substitutions stand for. What it does not know stays as it stands there, with its dollar sign.
type shell struct {
	src  string
	pos  int
	line int // of pos

	vars map[string][]string // an array has several values, or none
	file string              // the script, below inRepo
	cwd  string
	make bool // $(NAME) is a variable, and $$ a dollar sign

	depth   int
	spent   *int     // what all expansions took, see maxSpent
	heredoc []string // the ends of the texts that follow this line
	onSet   func(name, value string, line int)
}

// inRepo is what paths of the repository begin with while a script is read, since scripts make paths absolute.
const inRepo = "/@"

// What bounds the reading of a script that expands without end.
const (
	maxDepth  = 8
	maxWord   = 64 << 10
	maxValues = 4096
	maxSpent  = 4 << 20
)

// command is a simple command.
type command struct {
	words []string
	line  int
}

var (
	assignment = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)(\+?)=`)
	parameter  = regexp.MustCompile(`(?s)^([A-Za-z_][A-Za-z0-9_]*|[0-9])(\[[^\]]*\])?(.*)$`)
	variable   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
	makeName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
)

// declares are the words before an assignment.
var declares = map[string]bool{"export": true, "local": true, "readonly": true, "declare": true, "ARG": true, "ENV": true, "typeset": true}

// reserved are the words that a command may stand behind.
var reserved = map[string]bool{"if": true, "then": true, "else": true, "elif": true, "do": true, "while": true, "until": true, "!": true, "{": true, "}": true,
	"time": true, "RUN": true, "fi": true, "done": true, "esac": true}

// next returns the next command; ok is false at the end. Assignments are carried out on the way.
func (s *shell) next() (c command, ok bool) {
	for s.pos < len(s.src) {
		s.blank()
		if s.pos >= len(s.src) {
			break
		}
		if s.separator() {
			if len(c.words) > 0 {
				return c, true
			}
			continue
		}
		start := s.line
		if c.onlyDeclares() && s.assign() {
			continue
		}
		values := s.word()
		if len(values) == 1 && len(c.words) == 0 && reserved[values[0]] {
			continue
		}
		if c.words == nil {
			c.line = start
		}
		c.words = append(c.words, values...)
	}
	return c, len(c.words) > 0
}

func (c command) onlyDeclares() bool {
	for _, w := range c.words {
		if !declares[w] && !strings.HasPrefix(w, "-") {
			return false
		}
	}
	return true
}

// blank passes over spaces, joined lines and comments.
func (s *shell) blank() {
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == ' ' || c == '\t' || c == '\r':
			s.pos++
		case strings.HasPrefix(s.src[s.pos:], "\\\n"):
			s.pos += 2
			s.line++
		case strings.HasPrefix(s.src[s.pos:], "\\\r\n"):
			s.pos += 3
			s.line++
		case c == '#':
			for s.pos < len(s.src) && s.src[s.pos] != '\n' {
				s.pos++
			}
		default:
			return
		}
	}
}

// separator passes over what ends a command, or over a redirection, which does not. It tells whether a command ended.
func (s *shell) separator() bool {
	switch c := s.src[s.pos]; c {
	case '\n':
		s.pos++
		s.line++
		s.skipHeredocs()
		return true
	case ';', '&', '|', ')', '(':
		s.pos++
		return true
	case '<', '>':
		if strings.HasPrefix(s.src[s.pos:], "<(") {
			return false // a word
		}
		s.redirection()
		// What follows a redirection belongs to the same command.
		s.blank()
		return s.pos >= len(s.src) || s.separator()
	}
	return false
}

func (s *shell) redirection() {
	here := strings.HasPrefix(s.src[s.pos:], "<<") && !strings.HasPrefix(s.src[s.pos:], "<<<")
	for s.pos < len(s.src) && strings.IndexByte("<>&|-", s.src[s.pos]) >= 0 {
		s.pos++
	}
	s.blank()
	if s.pos >= len(s.src) || strings.IndexByte("\n;)(|&", s.src[s.pos]) >= 0 {
		return
	}
	if to := s.word(); here && len(to) > 0 {
		s.heredoc = append(s.heredoc, to[0])
	}
}

// skipHeredocs passes over the texts that a line with << asks for.
func (s *shell) skipHeredocs() {
	for _, end := range s.heredoc {
		for s.pos < len(s.src) {
			line, _, _ := strings.Cut(s.src[s.pos:], "\n")
			s.pos = min(s.pos+len(line)+1, len(s.src))
			s.line++
			if strings.TrimSpace(line) == end {
				break
			}
		}
	}
	s.heredoc = nil
}

// sub is a shell for a text inside of this one's.
func (s *shell) sub(src string) *shell {
	*s.spent += len(src) + 16*len(s.vars)
	return &shell{src: src, line: s.line, vars: maps.Clone(s.vars), file: s.file, cwd: s.cwd, make: s.make, depth: s.depth + 1, spent: s.spent}
}
