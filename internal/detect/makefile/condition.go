// SPDX-License-Identifier: Apache-2.0

package makefile

import "strings"

// condition is an open ifeq, ifdef or their kind.
type condition struct {
	taken   bool // whether a branch before this one counts
	counts  bool // whether this branch counts
	unknown bool // whether that cannot be decided
}

// active reports whether lines count.
func (f *File) active() bool {
	for _, c := range f.pending {
		if !c.counts {
			return false
		}
	}
	return true
}

// decide notes whether lines count for sure.
func (f *File) decide() {
	f.maybe = false
	for _, c := range f.pending {
		f.maybe = f.maybe || c.unknown
	}
}

// condition carries out a directive that begins, changes or ends a condition, and reports whether it is one.
func (r *reader) condition(name, rest string) bool {
	defer r.decide()
	switch name {
	case "ifeq", "ifneq", "ifdef", "ifndef":
		c := &condition{}
		if r.active() {
			r.branch(c, name, rest)
		}
		r.pending = append(r.pending, c)
	case "else":
		if len(r.pending) == 0 {
			return true
		}
		c := r.pending[len(r.pending)-1]
		r.pending = r.pending[:len(r.pending)-1]
		outside := r.active()
		c.counts = outside && !c.taken
		if m := directive.FindStringSubmatch(rest); m != nil && c.counts {
			r.branch(c, m[1], m[2])
		}
		r.pending = append(r.pending, c)
	case "endif":
		r.pending = r.pending[:max(0, len(r.pending)-1)]
	default:
		return false
	}
	return true
}

// branch decides on a branch.
func (r *reader) branch(c *condition, name, rest string) {
	holds, known := r.holds(name, rest)
	if !known {
		c.unknown = true
		r.Undecided = append(r.Undecided, Place{r.path, r.line, name + " " + rest})
	}
	c.counts = holds || !known
	c.taken = c.taken || holds && known
}

// holds reports whether a condition holds, where that is known.
func (r *reader) holds(name, rest string) (holds, known bool) {
	if name == "ifdef" || name == "ifndef" {
		v := r.vars[strings.TrimSpace(r.expand(rest, nil))]
		return (v != nil && v.value != "") == (name == "ifdef"), true
	}
	a, b, ok := operands(strings.TrimSpace(rest))
	a, b = strings.TrimSpace(r.expand(a, nil)), strings.TrimSpace(r.expand(b, nil))
	known = ok && !Unknown(a) && !Unknown(b)
	return known && (a == b) == (name == "ifeq"), known
}

// operands are the two texts of (a,b) or "a" "b".
func operands(rest string) (a, b string, ok bool) {
	if strings.HasPrefix(rest, "(") && strings.HasSuffix(rest, ")") {
		args := arguments(rest[1:len(rest)-1], 2)
		if len(args) == 2 {
			return args[0], args[1], true
		}
		return "", "", false
	}
	quoted := func(s string) (string, string, bool) {
		if s == "" || s[0] != '"' && s[0] != '\'' {
			return "", "", false
		}
		value, after, ok := strings.Cut(s[1:], s[:1])
		return value, strings.TrimSpace(after), ok
	}
	a, rest, ok = quoted(rest)
	if ok {
		b, _, ok = quoted(rest)
	}
	return a, b, ok
}
