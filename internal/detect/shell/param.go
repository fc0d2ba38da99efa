package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// param is an expansion with the value of another, or nil where that is not determined. A variable that the script does not
// set is taken as not set: a default applies, and without one it is not determined.
func (s *state) param(pe *syntax.ParamExp) *syntax.ParamExp {
	if pe.Param == nil || pe.Excl || pe.Length || pe.Width || pe.IsSet || pe.Names != 0 {
		return nil
	}
	index := pe.Index
	if at, ok := index.(*syntax.Word); index != nil && (!ok || at.Lit() != "@" && at.Lit() != "*" && !number.MatchString(at.Lit())) {
		return nil
	}
	v := s.Get(pe.Param.Value)
	unset := !v.IsSet()
	if pe.Exp != nil {
		switch pe.Exp.Op {
		case syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull, syntax.DefaultUnset, syntax.AssignUnset:
			if unset {
				return s.value(text(s.literal(pe.Exp.Word)), nil)
			}
			return s.value(v, index)
		case syntax.AlternateUnsetOrNull, syntax.AlternateUnset:
			if unset {
				return s.value(text(""), nil)
			}
			return s.value(text(s.literal(pe.Exp.Word)), nil)
		}
	}
	switch {
	case unset || !s.spend(sizeOf(v)):
		return nil
	case pe.Exp != nil:
		return s.removal(pe.Exp, v, index)
	case pe.Repl != nil:
		return s.replacement(pe.Repl, v, index)
	case pe.Slice != nil:
		return s.slice(pe.Slice, v, index)
	}
	return s.value(v, index)
}

// removal takes a pattern away at an end of a value.
func (s *state) removal(exp *syntax.Expansion, v expand.Variable, index syntax.ArithmExpr) *syntax.ParamExp {
	ops := []syntax.ParExpOperator{syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix}
	w := s.pattern(exp.Word)
	if w == nil || !determined(v) || !slices.Contains(ops, exp.Op) {
		return nil
	}
	part := s.value(v, index)
	part.Exp = &syntax.Expansion{Op: exp.Op, Word: w}
	return part
}

// replacement replaces a pattern in a value. expand does not know the anchors of patterns; ${X[@]/#/prefix} is common.
func (s *state) replacement(r *syntax.Replace, v expand.Variable, index syntax.ArithmExpr) *syntax.ParamExp {
	with := s.literal(r.With)
	if r.Orig == nil || !s.spend(sizeOf(v)*(1+len(with))) {
		return nil
	}
	switch anchor := r.Orig.Lit(); {
	case anchor == "#" || anchor == "%":
		values := slices.Clone(valuesOf(v))
		for i := range values {
			if anchor == "#" {
				values[i] = with + values[i]
			} else {
				values[i] += with
			}
		}
		if v.Kind == expand.String {
			return s.value(text(values[0]), nil)
		}
		return s.value(array(values), index)
	case strings.HasPrefix(anchor, "#") || strings.HasPrefix(anchor, "%"):
		return nil
	}
	w := s.pattern(r.Orig)
	if w == nil || !determined(v) || strings.Contains(with, "$") {
		return nil
	}
	part := s.value(v, index)
	part.Repl = &syntax.Replace{All: r.All, Orig: w, With: &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: with}}}}
	return part
}

// slice is a part of a value, or some of the elements of an array.
func (s *state) slice(sl *syntax.Slice, v expand.Variable, index syntax.ArithmExpr) *syntax.ParamExp {
	for _, at := range []syntax.ArithmExpr{sl.Offset, sl.Length} {
		if w, ok := at.(*syntax.Word); at != nil && (!ok || !number.MatchString(w.Lit())) {
			return nil
		}
	}
	if v.Kind == expand.String && !determined(v) {
		return nil
	}
	part := s.value(v, index)
	part.Slice = sl
	return part
}

// pattern is a pattern as expand may have it, or nil: what is in it is determined, and matched without surprises.
func (s *state) pattern(w *syntax.Word) *syntax.Word {
	if w == nil {
		return nil
	}
	all := ""
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			all += lit.Value
			continue
		}
		value := s.literal(&syntax.Word{Parts: []syntax.WordPart{p}})
		if strings.ContainsAny(value, "*?") {
			return nil
		}
		all += value
	}
	if !pattern.MatchString(all) || !s.spend(8*len(all)) {
		return nil
	}
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: all}}}
}
