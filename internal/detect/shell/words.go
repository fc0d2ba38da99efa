// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var (
	argument = lazyregexp.New(`^(?:\$\{?[0-9]\}?|\$\((?:realpath|readlink -f) "?\$\{?[0-9]\}?"?\))$`)
	// index is one that needs no arithmetic.
	index = lazyregexp.New(`^([@*]|[0-9]{1,4})$`)
	// elements are all those of an array.
	elements = lazyregexp.New(`^"\$(@|\{@\}|\{\w+\[@\]\})"$`)
	// pattern is one that is matched without surprises: no brackets, no escapes, no home directories.
	pattern = lazyregexp.New(`^[\w./:@+,=*?-]*$`)
)

// fields are the values of a word: mostly one.
func (s *state) fields(w *syntax.Word) []string {
	fields, err := expand.Fields(&expand.Config{Env: s}, &syntax.Word{Parts: s.parts(w.Parts)})
	if err != nil || !s.spend(len(strings.Join(fields, ""))) {
		return []string{s.source(w)}
	}
	if len(fields) == 1 && fields[0] == "" && elements.MatchString(s.source(w)) {
		return nil // expand has one word for an array that is empty
	}
	return fields
}

// literal is the value of a word that is not split.
func (s *state) literal(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	value, err := expand.Literal(&expand.Config{Env: s}, &syntax.Word{Parts: s.parts(w.Parts)})
	if err != nil || !s.spend(len(value)) {
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

// parts are those of a word as expand may have them: text, and variables of the script. Anything else could ask for the machine's
// files, users or processes.
func (s *state) parts(all []syntax.WordPart) (out []syntax.WordPart) {
	for _, p := range all {
		switch p := p.(type) {
		case *syntax.Lit:
			out = append(out, quoted(unescape(p.Value)))
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
			if value, _ := expand.Literal(&expand.Config{Env: s}, &syntax.Word{Parts: []syntax.WordPart{part}}); strings.Contains(value, "$") {
				part = &syntax.DblQuoted{Parts: []syntax.WordPart{part}} // not to be split
			}
			out = append(out, part)
		}
	}
	return out
}

// part is an expansion of what is determined of a part of a word, or else its source.
func (s *state) part(p syntax.WordPart) syntax.WordPart {
	switch p := p.(type) {
	case *syntax.ParamExp:
		if part := s.param(p); part != nil && s.spend(sizeOf(s.Get(part.Param.Value))) {
			return part
		}
	case *syntax.CmdSubst:
		if out, ok := s.output(p.Stmts); ok {
			return s.value(text(out))
		}
	}
	return quoted(s.source(p))
}

// param is an expansion as expand may have it, or nil where it is not determined. A variable that the script does not set is taken
// as not set: a default applies, and without one it is not determined.
func (s *state) param(pe *syntax.ParamExp) *syntax.ParamExp {
	if pe.Param == nil || pe.Excl || pe.Length || pe.Width || pe.IsSet || pe.Names != 0 || !simple(pe.Index) {
		return nil
	}
	v := s.Get(pe.Param.Value)
	part := &syntax.ParamExp{Param: pe.Param, Index: pe.Index}
	if v.Kind == expand.String {
		part.Index = nil
	}
	if pe.Exp != nil {
		op := pe.Exp.Op
		switch op {
		case syntax.AssignUnset, syntax.AssignUnsetOrNull:
			if s.funcs != nil && !v.IsSet() {
				s.set(pe.Param.Value, text(s.literal(pe.Exp.Word)), int(pe.Pos().Line()))
			}
			op = map[syntax.ParExpOperator]syntax.ParExpOperator{syntax.AssignUnset: syntax.DefaultUnset, syntax.AssignUnsetOrNull: syntax.DefaultUnsetOrNull}[op]
		}
		switch op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
			part.Exp = &syntax.Expansion{Op: op, Word: word(s.literal(pe.Exp.Word))}
			return part
		case syntax.ErrorUnset, syntax.ErrorUnsetOrNull: // with a value, as without the check
			if !v.IsSet() {
				return nil
			}
			return part
		case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
			part.Exp = &syntax.Expansion{Op: op, Word: s.pattern(pe.Exp.Word)}
			if part.Exp.Word == nil || !determined(v) {
				return nil
			}
			return part
		}
	}
	switch {
	case !v.IsSet(), pe.Exp != nil:
		return nil
	case pe.Repl != nil:
		return s.replacement(pe.Repl, v, part)
	case pe.Slice != nil:
		if !simple(pe.Slice.Offset) || !simple(pe.Slice.Length) || v.Kind == expand.String && !determined(v) {
			return nil
		}
		part.Slice = pe.Slice
	}
	return part
}

// simple reports whether an index, if there is one, needs no arithmetic.
func simple(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return x == nil || ok && index.MatchString(w.Lit())
}

// replacement replaces a pattern in a value. expand does not know the anchors of patterns; ${X[@]/#/prefix} is common.
func (s *state) replacement(r *syntax.Replace, v expand.Variable, part *syntax.ParamExp) *syntax.ParamExp {
	with := s.literal(r.With)
	if r.Orig == nil || !s.spend(sizeOf(v)*(1+len(with))) {
		return nil
	}
	if anchor := r.Orig.Lit(); anchor == "#" || anchor == "%" {
		before, after := with, ""
		if anchor == "%" {
			before, after = "", with
		}
		v.List, v.Str = slices.Clone(v.List), before+v.Str+after
		for i, value := range v.List {
			v.List[i] = before + value + after
		}
		anchored := s.value(v)
		anchored.Index = part.Index
		return anchored
	}
	if orig := s.pattern(r.Orig); orig != nil && determined(v) && !strings.Contains(with, "$") {
		part.Repl = &syntax.Replace{All: r.All, Orig: orig, With: word(with)}
		return part
	}
	return nil
}

// pattern is a pattern as expand may have it, or nil: what is in it is determined, and matched without surprises.
func (s *state) pattern(w *syntax.Word) *syntax.Word {
	value := s.literal(w)
	if w == nil || !pattern.MatchString(value) || strings.ContainsAny(value, "*?") && w.Lit() != value || !s.spend(8*len(value)) {
		return nil
	}
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: value}}}
}

// value is an expansion of a variable whose name no script can use.
func (s *state) value(v expand.Variable) *syntax.ParamExp {
	*s.values++
	name := "=" + strconv.Itoa(*s.values)
	s.vars[name] = v
	return &syntax.ParamExp{Param: &syntax.Lit{Value: name}}
}

func quoted(value string) *syntax.SglQuoted { return &syntax.SglQuoted{Value: value} }

func word(value string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{quoted(value)}}
}

// Get implements expand.Environ: there are no other variables than the script's.
func (s *state) Get(name string) expand.Variable {
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

func sizeOf(v expand.Variable) int { return 16 + 16*len(v.List) + len(strings.Join(valuesOf(v), "")) }

// determined reports whether all of a variable's values are known.
func determined(v expand.Variable) bool {
	return v.IsSet() && !strings.Contains(strings.Join(valuesOf(v), ""), "$")
}

// unescape takes away the backslashes that a shell does outside of quotes.
func unescape(text string) string { return escaped.ReplaceAllString(text, "$1") }

var escaped = lazyregexp.New(`(?s)\\(.)`)
