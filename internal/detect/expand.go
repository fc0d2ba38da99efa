package detect

import (
	"strconv"
	"strings"
)

// dollar reads what begins with a dollar sign, as long as a script does not expand without end.
func (s *shell) dollar() []string {
	values := s.expansion()
	for _, v := range values {
		*s.spent += len(v) + 16
	}
	if *s.spent > maxSpent {
		return nil
	}
	return values
}

func (s *shell) expansion() []string {
	s.pos++
	if s.pos >= len(s.src) {
		return []string{"$"}
	}
	switch rest := s.src[s.pos:]; {
	case s.make && rest[0] == '$':
		s.pos++
		return []string{"$"}
	case rest[0] == '\'' || rest[0] == '"':
		return nil // $'…' is a quote too
	case rest[0] == '{':
		s.pos++
		return s.parameter(s.until('{', '}'))
	case strings.HasPrefix(rest, "(("):
		s.pos++
		return []string{"$(" + s.until('(', ')') + ")"}
	case rest[0] == '(':
		s.pos++
		inner := s.until('(', ')')
		if s.make && makeName.MatchString(inner) {
			return s.parameter(inner)
		}
		return []string{s.output(inner)}
	default:
		if name := variable.FindString(rest); name != "" {
			s.pos += len(name)
			return s.parameter(name)
		}
		s.pos++
		if rest[0] == '0' {
			return []string{s.file}
		}
		return []string{"$" + rest[:1]}
	}
}

// output is what a command substitution stands for; where that is not known, itself.
func (s *shell) output(inner string) string {
	if s.depth < maxDepth && *s.spent < maxSpent {
		if out, ok := s.sub(inner).run(); ok && !strings.Contains(out, "$") {
			return out
		}
	}
	return "$(" + inner + ")"
}

// expand gives the text of a default or a prefix in a parameter.
func (s *shell) expand(text string) string {
	if s.depth >= maxDepth || *s.spent >= maxSpent {
		return text
	}
	var p pieces
	sub := s.sub(text)
	for sub.pos < len(sub.src) {
		at := sub.pos
		sub.quoted(&p)
		if sub.pos == at {
			break
		}
	}
	return strings.Join(p.values(), " ")
}

// parameter is what ${…} stands for.
func (s *shell) parameter(inner string) []string {
	unknown := []string{"${" + inner + "}"}
	m := parameter.FindStringSubmatch(inner)
	if m == nil {
		return unknown
	}
	name, index, op := m[1], m[2], m[3]
	values, set := s.vars[name]
	switch name {
	case "BASH_SOURCE", "0":
		values, set = []string{s.file}, true
	case "PWD", "CURDIR":
		if !set {
			values, set = []string{s.cwd}, true
		}
	}
	switch {
	case !set && (strings.HasPrefix(op, ":-") || strings.HasPrefix(op, ":=")):
		return []string{s.expand(op[2:])}
	case !set && (strings.HasPrefix(op, "-") || strings.HasPrefix(op, "=")):
		return []string{s.expand(op[1:])}
	case !set && (strings.HasPrefix(op, ":+") || strings.HasPrefix(op, "+")):
		return []string{""}
	case !set:
		return unknown
	}
	if index == "" && len(values) > 1 && op == "" && !s.make {
		values = values[:1]
	}
	if prefix, ok := strings.CutPrefix(op, "/#/"); ok {
		prefix = s.expand(prefix)
		prefixed := make([]string, len(values))
		for i, v := range values {
			prefixed[i] = prefix + v
		}
		values = prefixed
	} else if suffix, ok := strings.CutPrefix(op, "%"); ok {
		trimmed := make([]string, len(values))
		for i, v := range values {
			trimmed[i] = strings.TrimSuffix(v, strings.TrimPrefix(s.expand(suffix), "%"))
		}
		values = trimmed
	} else if from, err := strconv.Atoi(strings.TrimPrefix(op, ":")); err == nil && index == "[@]" && from >= 0 {
		values = values[min(len(values), from):] // ${X[@]:1}
	} else if op != "" && op[0] != ':' && op[0] != '-' && op[0] != '=' && op[0] != '+' {
		return unknown
	}
	if index == "[*]" {
		between := " "
		if ifs := s.vars["IFS"]; len(ifs) == 1 {
			between = ifs[0][:min(1, len(ifs[0]))]
		}
		return []string{strings.Join(values, between)}
	}
	return values
}
