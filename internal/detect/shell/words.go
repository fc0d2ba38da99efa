package shell

import (
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

var (
	argument = regexp.MustCompile(`^\$\{?[0-9]\}?$`)
	number   = regexp.MustCompile(`^[0-9]{1,4}$`)
	// pattern is one that is matched without surprises: no brackets, no escapes, no home directories.
	pattern = regexp.MustCompile(`^[\w./:@+,=*?-]*$`)
)

// fields are the values of a word: mostly one.
func (s *state) fields(w *syntax.Word) []string {
	fields, err := expand.Fields(&expand.Config{Env: s}, &syntax.Word{Parts: s.parts(w.Parts)})
	if err != nil {
		return []string{s.source(w)}
	}
	return fields
}

// literal is the value of a word that is not split.
func (s *state) literal(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	value, err := expand.Literal(&expand.Config{Env: s}, &syntax.Word{Parts: s.parts(w.Parts)})
	if err != nil {
		return s.source(w)
	}
	return value
}

// source is how a node stands in the script.
func (s *state) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(s.src) {
		return "$"
	}
	return s.src[from:to]
}

// parts are those of a word as expand may have them: text, and variables that value made. Anything else could ask for the
// machine's files, users or processes.
func (s *state) parts(all []syntax.WordPart) []syntax.WordPart {
	var out []syntax.WordPart
	for _, p := range all {
		switch p := p.(type) {
		case *syntax.Lit:
			out = append(out, &syntax.SglQuoted{Value: unescape(p.Value)})
		case *syntax.SglQuoted:
			out = append(out, p)
		case *syntax.DblQuoted:
			// One for each part, so that the elements of an array in the middle become words of their own.
			for _, in := range p.Parts {
				if _, ok := in.(*syntax.Lit); !ok {
					in = s.part(in)
				}
				out = append(out, &syntax.DblQuoted{Parts: []syntax.WordPart{in}})
			}
			if len(p.Parts) == 0 {
				out = append(out, p)
			}
		default:
			part := s.part(p)
			if v := s.Get(part.Param.Value); !determined(v) { // not to be split
				out = append(out, &syntax.DblQuoted{Parts: []syntax.WordPart{part}})
			} else {
				out = append(out, part)
			}
		}
	}
	return out
}

// part is an expansion of what is determined of a part of a word, or else of its source.
func (s *state) part(p syntax.WordPart) *syntax.ParamExp {
	switch p := p.(type) {
	case *syntax.ParamExp:
		if part := s.param(p); part != nil {
			return part
		}
	case *syntax.CmdSubst:
		if out, ok := s.output(p.Stmts); ok {
			return s.value(text(out), nil)
		}
	}
	return s.value(text(s.source(p)), nil)
}

// value is an expansion of a variable that only the current statement has, named by a number after "=", which no script can use.
func (s *state) value(v expand.Variable, index syntax.ArithmExpr) *syntax.ParamExp {
	if v.Kind == expand.String {
		index = nil
	}
	s.values = append(s.values, v)
	return &syntax.ParamExp{Param: &syntax.Lit{Value: "=" + strconv.Itoa(len(s.values)-1)}, Index: index}
}

// Get implements expand.Environ: there are no other variables than the script's.
func (s *state) Get(name string) expand.Variable {
	if n, ok := strings.CutPrefix(name, "="); ok {
		i, _ := strconv.Atoi(n)
		return s.values[i]
	}
	v, ok := s.vars[name]
	switch name {
	case "BASH_SOURCE", "0":
		return text(s.file)
	case "PWD", "CURDIR":
		if !ok {
			return text(s.dir)
		}
	}
	return v
}

// Each implements expand.Environ. It is not called: an expansion by the prefix of a name is not determined.
func (s *state) Each(func(string, expand.Variable) bool) {}

func text(value string) expand.Variable {
	return expand.Variable{Set: true, Kind: expand.String, Str: value}
}

func array(values []string) expand.Variable {
	return expand.Variable{Set: true, Kind: expand.Indexed, List: values}
}

// valuesOf are the one or several values of a variable.
func valuesOf(v expand.Variable) []string {
	if v.Kind == expand.String {
		return []string{v.Str}
	}
	return v.List
}

func sizeOf(v expand.Variable) int {
	n := 16
	for _, value := range valuesOf(v) {
		n += 16 + len(value)
	}
	return n
}

// determined reports whether all of a variable's values are known.
func determined(v expand.Variable) bool {
	return v.IsSet() && !strings.Contains(strings.Join(valuesOf(v), ""), "$")
}

// unescape takes away the backslashes that a shell does outside of quotes.
func unescape(text string) string {
	if !strings.Contains(text, "\\") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
