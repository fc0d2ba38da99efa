// SPDX-License-Identifier: Apache-2.0

package makefile

import (
	"path"
	"slices"
	"strings"
)

// variable is a variable: one that is expanded where it is used, or a simple one, whose value stands.
type variable struct {
	value  string
	simple bool
}

func (f *File) set(name, value string) { f.vars[name] = &variable{value: value, simple: true} }

// assign gives a variable a value. A branch that may not count does not take away a value that is known for one that is not, nor
// one that an earlier branch of its kind gave.
func (r *reader) assign(name, how, value string) {
	old := r.vars[name]
	v := &variable{value: value}
	switch how {
	case "?":
		if old != nil {
			return
		}
	case ":", "::", ":::":
		v.value, v.simple = r.expand(value, nil), true
	case "!":
		v.value, v.simple = r.function("shell", value, nil), true
	case "+":
		if old == nil {
			break
		}
		if old.simple {
			value = r.expand(value, nil)
		}
		v.value, v.simple = strings.TrimSpace(old.value+" "+value), old.simple
	}
	if old != nil && r.maybe && how != "+" && (Unknown(r.expandOf(v)) || !Unknown(r.expandOf(old))) {
		return
	}
	r.vars[name] = v
}

func (f *File) expandOf(v *variable) string {
	if v.simple {
		return v.value
	}
	return f.expand(v.value, nil)
}

// Unknown reports whether a text has something in it that only a command or the environment knows.
func Unknown(text string) bool { return strings.Contains(text, "$") }

// escape makes a text one that expands to itself.
func escape(text string) string { return strings.ReplaceAll(text, "$", "$$") }

// value is the value of a variable, expanded; local are automatic variables, arguments and those of a target.
func (f *File) value(name string, local map[string]string) string {
	if v, ok := local[name]; ok {
		return v
	}
	v := f.vars[name]
	switch {
	case v == nil && (f.sys.Partial || fromEnvironment(name)) && len(name) > 1:
		return "$(" + name + ")"
	case v == nil:
		return ""
	case v.simple:
		return v.value
	}
	return f.expand(v.value, local)
}

// fromEnvironment reports whether a variable that no makefile sets is most often set outside of them, so that its value is not
// known; others are empty.
func fromEnvironment(name string) bool {
	upper := strings.ToUpper(name)
	return slices.Contains([]string{"HOME", "USER", "PATH", "GOPATH", "GOBIN", "GOROOT", "GOOS", "GOARCH", "TMPDIR", "VERSION", "DAPPER_HOST_ARCH"}, name) ||
		strings.Contains(strings.ReplaceAll(upper, "-", "_"), "CONTROLLER_GEN")
}

// expand replaces the references to variables and the calls of functions in a text, as make does. What is not known stays.
func (f *File) expand(text string, local map[string]string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	if f.depth >= maxDepth || f.budget <= len(text) {
		return text
	}
	f.depth++
	f.budget -= len(text)
	defer func() { f.depth-- }()
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case '$':
			b.WriteByte('$')
		case '(', '{':
			end := closing(text, i)
			if end < 0 {
				b.WriteString(text[i-1:])
				return b.String()
			}
			b.WriteString(f.reference(text[i+1:end], local))
			i = end
		default:
			b.WriteString(f.value(string(c), local))
		}
		if b.Len() > f.budget {
			return text
		}
	}
	f.budget -= b.Len()
	return b.String()
}

// closing is the place of the bracket that closes the one at a place, or -1.
func closing(text string, at int) int {
	open, shut := text[at], byte(')')
	if open == '{' {
		shut = '}'
	}
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// reference is the value of what stands in brackets.
func (f *File) reference(inside string, local map[string]string) string {
	if name, args, ok := strings.Cut(inside, " "); ok {
		if _, known := functions[name]; known || name == "shell" || name == "call" || name == "foreach" || name == "if" || name == "or" || name == "and" {
			return f.function(name, strings.TrimLeft(args, " \t"), local)
		}
		if slices.Contains(unread, name) {
			return "$(" + inside + ")"
		}
	}
	name, replacement, substitutes := cutOutside(inside, ':')
	from, to, isPattern := strings.Cut(replacement, "=")
	if substitutes && isPattern {
		if !strings.Contains(from, "%") {
			from, to = "%"+from, "%"+to
		}
		return f.patsubst(f.expand(from, local), f.expand(to, local), f.value(f.expand(name, local), local))
	}
	return f.value(f.expand(inside, local), local)
}

// unread are functions whose result is not known, or that only act.
var unread = []string{"eval", "info", "warning", "error", "flavor", "file", "guile", "value"}

// cutOutside cuts at the first separator that is in no brackets.
func cutOutside(text string, separator byte) (before, after string, found bool) {
	depth := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			depth--
		case c == separator && depth == 0:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// arguments are those of a function, at most n.
func arguments(text string, n int) (args []string) {
	for len(args) < n-1 {
		before, after, ok := cutOutside(text, ',')
		if !ok {
			break
		}
		args, text = append(args, before), after
	}
	return append(args, text)
}

// root is the path that stands for the repository's root: the first part of the directory.
func (f *File) root() string {
	if i := strings.IndexByte(f.dir[1:], '/'); i >= 0 {
		return f.dir[:i+1]
	}
	return f.dir
}

// abs is a path as $(abspath) makes it.
func (f *File) abs(p string) string {
	if path.IsAbs(p) || strings.HasPrefix(p, "$") {
		return path.Clean(p)
	}
	return path.Join(f.dir, p)
}
