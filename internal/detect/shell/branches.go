// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	glob "mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// branch reads commands that may not run.
func (s *state) branch(list ...*syntax.Stmt) {
	s.maybe++
	s.stmts(list)
	s.maybe--
}

// choose reads the branches of a condition: of one that is decided in a script that is read as it runs, the one that runs.
func (s *state) choose(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		s.stmts(c.Cond)
		holds, known := true, s.funcs != nil && c.Else == nil && len(c.Cond) == 0 // an else after tests that do not hold
		if len(c.Cond) == 1 {
			holds, known = s.test(c.Cond[0])
		}
		switch {
		case known && holds:
			s.stmts(c.Then)
			return
		case !known:
			s.branch(c.Then...)
		}
	}
}

// test reports whether a test holds, if that is known: one of the length of a text, or of what the variable of a loop is.
func (s *state) test(st *syntax.Stmt) (holds, known bool) {
	if s.funcs == nil || st.Negated {
		return false, false
	}
	op, word, other := "", (*syntax.Word)(nil), (*syntax.Word)(nil)
	switch c := st.Cmd.(type) {
	case *syntax.TestClause:
		switch x := c.X.(type) {
		case *syntax.UnaryTest:
			op = x.Op.String()
			word, _ = x.X.(*syntax.Word)
		case *syntax.BinaryTest:
			op = x.Op.String()
			word, _ = x.X.(*syntax.Word)
			other, _ = x.Y.(*syntax.Word)
		}
	case *syntax.CallExpr:
		switch {
		case len(c.Args) == 4 && c.Args[0].Lit() == "[":
			op, word = c.Args[1].Lit(), c.Args[2]
		case len(c.Args) == 5 && c.Args[0].Lit() == "[":
			op, word, other = c.Args[2].Lit(), c.Args[1], c.Args[3]
		}
	}
	if word != nil && other != nil && slices.Contains([]string{"=", "==", "!="}, op) {
		item, known := s.item(word)
		value := s.literal(other)
		return (item == value) == (op != "!="), known && !strings.ContainsAny(value, unsure)
	}
	if word == nil || op != "-n" && op != "-z" {
		return false, false
	}
	value := s.literal(word)
	return (value == "") == (op == "-z"), !strings.ContainsAny(value, "$`")
}

// unsure is in texts that are not determined.
const unsure = "$`*?["

// item is the value of a word that is the variable of a loop. Those of others may be defaults, and then a branch may run nonetheless.
func (s *state) item(word *syntax.Word) (value string, known bool) {
	value = s.literal(word)
	return value, s.funcs != nil && slices.Contains(s.items, strings.Trim(s.source(word), `"${}`)) && !strings.ContainsAny(value, unsure)
}

// cases reads the branches of a case: of the variable of a loop, the one that runs.
func (s *state) cases(c *syntax.CaseClause) {
	value, known := s.item(c.Word)
	for _, item := range c.Items {
		runs := false
		for _, p := range item.Patterns {
			matches, determined := matchesPattern(s.literal(p), value)
			known = known && determined
			runs = runs || matches
		}
		switch {
		case !known:
			s.branch(item.Stmts...)
		case runs:
			s.stmts(item.Stmts)
			return
		}
	}
}

// matchesPattern reports whether a pattern of a case matches, if that is known.
func matchesPattern(pattern, value string) (matches, known bool) {
	expression, err := glob.Regexp(pattern, glob.EntireString)
	if err != nil || strings.ContainsAny(pattern, "$`(") {
		return false, false
	}
	compiled, err := regexp.Compile(expression)
	return err == nil && compiled.MatchString(value), err == nil
}

// firstArgument is the variable of a loop that shifts arguments until there are none.
const firstArgument = "1"

// ofArguments is in the condition of such a loop, or, where it has none, shifts in its body.
var ofArguments, shifts = lazyregexp.New(`\$(#|\{#\}|1\b|\{1\b)`), lazyregexp.New(`\bshift\b`)

// repeat reads the body of a loop with a condition: of one that takes the arguments of the script as they come, with each that is left.
func (s *state) repeat(c *syntax.WhileClause) {
	cond := ""
	for _, st := range c.Cond {
		cond += strings.TrimRight(s.source(st), "; ")
	}
	taken := ofArguments.MatchString(cond) || (cond == "true" || cond == ":") && shifts.MatchString(s.source(c))
	if args, known := s.vars["@"]; s.funcs == nil || !known || !taken || !s.spend((len(args.List)+1)*len(s.source(c))) {
		s.branch(c.Do...)
		return
	}
	s.items = append(s.items, firstArgument)
	s.within(func() {
		for n := -1; n != len(s.vars["@"].List) && len(s.vars["@"].List) > 0 && !s.left; {
			n = len(s.vars["@"].List)
			s.stmts(c.Do)
		}
	})
	s.left = false
	s.items = s.items[:len(s.items)-1]
}

// loop reads the body of a loop with each of its values, or once where they are not determined.
func (s *state) loop(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		s.branch(c.Do...)
		return
	}
	var items []string
	for _, w := range iter.Items {
		items = append(items, s.fields(w)...)
	}
	name := iter.Name.Value
	delete(s.vars, name)
	all := strings.Join(items, "")
	unknown := strings.ContainsAny(all, "$*?[{")
	if s.funcs != nil { // a pattern says which files, and a path below a variable where
		unknown = strings.Contains(strings.ReplaceAll(all, "${", ""), "{")
	}
	if unknown || len(items) == 0 || !s.spend(len(items)*len(s.source(c))) {
		s.branch(c.Do...)
		return
	}
	s.items = append(s.items, name)
	s.within(func() {
		for _, item := range items {
			s.vars[name] = text(item)
			if s.funcs == nil {
				s.branch(c.Do...)
			} else {
				s.stmts(c.Do)
			}
		}
	})
	s.items = s.items[:len(s.items)-1]
	if strings.ContainsAny(items[len(items)-1], "$*?[") || strings.Contains(s.source(c), "break") {
		delete(s.vars, name) // it keeps the last value, which is not known
	}
}

// within reads what sets variables for its own commands: in a branch, they lose those values after it; see set.
func (s *state) within(read func()) {
	given, before := s.given, map[string]expand.Variable{}
	if s.maybe > given && s.funcs != nil {
		before = maps.Clone(s.vars)
	}
	s.given = s.maybe
	read()
	s.given = given
	for name, v := range before {
		if determined(v) {
			s.vars[name] = v
		}
	}
}
