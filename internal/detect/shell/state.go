// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// state is a shell at one point of a script: its variables, its directory.
type state struct {
	out  *Script
	src  string // of the statements that are read
	base int    // the lines above src
	file string // the script

	vars  map[string]expand.Variable
	dir   string
	stack []string // of pushd
	// before is the directory that "cd -" goes back to; "" if there is none.
	before string
	depth  int // of subshells and command substitutions
	maybe  int // branches around, which may not be taken
	given  int // those of them that are around the function or the loop that is read

	items []string // the variables of the loops around, with one of their values each
	left  bool     // a loop of arguments, by break

	goesOn bool // when a command fails

	// funcs are the functions of a script that is read as it runs, called those of them that it calls; see ReadCall.
	funcs  map[string]function
	called []string
	calls  int // of functions, in each other
	// other answers what a command prints that print does not know.
	other func(words []string, dir string) (string, bool)
	// load returns the text of a script that another one reads in.
	load func(file string) (string, bool)

	budget *int // what expansions may still take
	values *int // how many variables there are that no script can name; see value
}

// clone is a subshell.
func (s *state) clone() *state {
	sub := *s
	if s.spend(64 * len(s.vars)) {
		sub.vars = maps.Clone(s.vars)
	}
	sub.depth++
	return &sub
}

// spend reports whether something of a size may still be made.
func (s *state) spend(n int) bool {
	*s.budget = max(*s.budget-n, 0)
	return *s.budget > 0
}

// stmts notes the commands of statements, and carries out what they do to variables and directories.
func (s *state) stmts(list []*syntax.Stmt) {
	for _, st := range list {
		if s.left {
			return
		}
		files, reads := s.redirected(st)
		switch c := st.Cmd.(type) {
		case *syntax.CallExpr:
			s.call(c, files, reads)
			continue
		case *syntax.DeclClause:
			s.assign(c.Args)
		case *syntax.BinaryCmd:
			s.binary(c)
		case *syntax.Block:
			s.stmts(c.Stmts)
		case *syntax.Subshell:
			s.clone().stmts(c.Stmts)
		case *syntax.FuncDecl:
			if s.funcs != nil {
				s.funcs[c.Name.Value] = function{c.Body, s.src}
				continue
			}
			s.branch(c.Body)
		case *syntax.IfClause:
			s.choose(c)
		case *syntax.CaseClause:
			s.cases(c)
		case *syntax.WhileClause:
			s.stmts(c.Cond)
			s.repeat(c)
		case *syntax.ForClause:
			s.loop(c)
		}
		if len(files) > 0 {
			s.out.Commands = append(s.out.Commands, Command{Words: []string{">"}, Line: s.base + int(st.Pos().Line()), Dir: s.dir, Writes: files})
		}
	}
}

// binary notes the commands of a pipe, or of a list in which the second runs only if the first fails or does not.
func (s *state) binary(c *syntax.BinaryCmd) {
	before := s.goesOn
	if c.Op == syntax.OrStmt {
		call, ok := c.Y.Cmd.(*syntax.CallExpr)
		s.goesOn = ok && slices.Contains([]string{"true", ":", "echo"}, append(s.words(call), "")[0])
	}
	s.stmts([]*syntax.Stmt{c.X})
	s.goesOn = before
	s.stmts([]*syntax.Stmt{c.Y})
}

// call notes a command, and carries it out where it changes the shell.
func (s *state) call(c *syntax.CallExpr, writes, reads []string) {
	words := s.words(c)
	if len(words) == 0 {
		return
	}
	if f, ok := s.funcs[words[0]]; ok && s.calls < maxDepth && s.spend(1) {
		s.function(words, f)
		return
	}
	s.out.Commands = append(s.out.Commands, Command{words, s.base + int(c.Args[0].Pos().Line()), s.dir, s.env(c), writes, reads, s.goesOn})
	last := words[len(words)-1]
	switch words[0] {
	case "cd", "pushd":
		if words[0] == "pushd" {
			s.stack = append(slices.Clip(s.stack), s.dir)
		}
		switch {
		case last == "-":
			s.dir, s.before = cmp.Or(s.before, s.dir), s.dir
		case len(words) > 1:
			if s.before = s.dir; !strings.Contains(last, "$") {
				s.dir = s.abs(last)
			}
		}
	case "popd":
		if n := len(s.stack); n > 0 {
			s.dir, s.stack = s.stack[n-1], s.stack[:n-1]
		}
	case "source", ".":
		s.include(last)
	case "shift":
		n, err := strconv.Atoi(append(words, "1")[1])
		if args := s.vars["@"].List; err == nil && 0 <= n && n <= len(args) && s.maybe == s.given {
			s.arguments(args[n:])
		}
	case "break":
		s.left = len(s.items) > 0 && s.items[len(s.items)-1] == firstArgument && s.maybe == s.given
	case "ARG", "ENV": // of a Dockerfile
		if name, value, ok := strings.Cut(last, "="); ok {
			s.set(name, text(value), int(c.Pos().Line()))
		}
	}
}

// function is the body of one, and the text of the script that declares it.
type function struct {
	body *syntax.Stmt
	src  string
}

// function reads the body of a function with the arguments of a call.
func (s *state) function(words []string, f function) {
	if !slices.Contains(s.called, words[0]) {
		s.called = append(s.called, words[0])
	}
	before, src := maps.Clone(s.vars), s.src
	s.calls++
	s.src = f.src // of which its words are
	s.within(func() {
		s.arguments(words[1:])
		s.stmts([]*syntax.Stmt{f.body})
	})
	s.calls--
	s.src = src
	for _, name := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "@", "*", "#"} {
		delete(s.vars, name)
		if v, ok := before[name]; ok {
			s.vars[name] = v
		}
	}
}

// arguments sets the positional parameters.
func (s *state) arguments(args []string) {
	for i := range 9 {
		value := ""
		if i < len(args) {
			value = args[i]
		}
		s.vars[strconv.Itoa(i+1)] = text(value)
	}
	s.vars["@"], s.vars["*"], s.vars["#"] = array(args), array(args), text(strconv.Itoa(len(args)))
}

// env are the variables that stand before a command.
func (s *state) env(c *syntax.CallExpr) map[string]string {
	var env map[string]string
	for _, a := range c.Assigns {
		if a.Name == nil || a.Naked || a.Index != nil || a.Array != nil {
			continue
		}
		if env == nil {
			env = map[string]string{}
		}
		env[a.Name.Value] = s.literal(a.Value)
	}
	return env
}

// redirected are the files that the output of a statement goes to, and those that its input comes from.
func (s *state) redirected(st *syntax.Stmt) (files, reads []string) {
	for _, r := range st.Redirs {
		switch r.Op {
		case syntax.RdrIn:
			reads = append(reads, s.literal(r.Word))
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			if file := s.literal(r.Word); file != "/dev/null" && (r.N == nil || r.N.Value == "1") {
				files = append(files, file)
			}
		}
	}
	return files, reads
}

// include reads the statements of another script.
func (s *state) include(file string) {
	goesOn := s.goesOn
	s.goesOn = false // unless that script says otherwise
	if s.load == nil || strings.Contains(file, "$") || s.calls >= maxDepth {
		return
	}
	src, ok := s.load(s.abs(file))
	list, err := parse(src)
	if !ok || err != nil || !s.spend(len(src)) {
		return
	}
	s.goesOn = goesOn && !stops.MatchString(src)
	sub := *s
	sub.src, sub.file, sub.out = src, s.abs(file), &Script{}
	sub.calls++
	sub.stmts(list)
	s.dir = sub.dir
}

// words are those of a command, which has none where it only assigns.
func (s *state) words(c *syntax.CallExpr) (words []string) {
	if len(c.Args) == 0 {
		s.assign(c.Assigns)
	}
	for _, w := range c.Args {
		words = append(words, s.fields(w)...)
	}
	return words
}

func (s *state) assign(all []*syntax.Assign) {
	for _, a := range all {
		if a.Name == nil || a.Naked || a.Index != nil {
			continue
		}
		old, v := s.vars[a.Name.Value], text(s.literal(a.Value))
		switch {
		case a.Array != nil:
			v = array(nil)
			if a.Append {
				v = array(slices.Clone(valuesOf(old)))
			}
			for _, e := range a.Array.Elems {
				if e.Value != nil {
					v.List = append(v.List, s.fields(e.Value)...)
				}
			}
		case a.Append:
			v.Str = old.String() + v.Str
		}
		s.set(a.Name.Value, v, int(a.Pos().Line()))
	}
}

// set gives a variable a value. A branch does not take away a value that is determined for one that is not, and in a script that is
// read as it runs, for no other: most set a default first. And a name says more
// than the number of an argument, or its path: after clientgen=$1, "$clientgen" tells which command it is.
func (s *state) set(name string, v expand.Variable, line int) {
	switch {
	case argument.MatchString(v.Str), sizeOf(v) > maxValue, !s.spend(sizeOf(v)):
		delete(s.vars, name)
		return
	case s.maybe > s.given && determined(s.vars[name]) && (!determined(v) || s.funcs != nil):
	default:
		s.vars[name] = v
	}
	for _, value := range valuesOf(v) {
		s.out.Assignments = append(s.out.Assignments, Assignment{name, value, s.base + line})
	}
}

// abs is a path seen from the directory in which a command runs.
func (s *state) abs(p string) string {
	if strings.HasPrefix(p, "/") || strings.HasPrefix(p, "$") {
		return path.Clean(p)
	}
	return path.Join(s.dir, p)
}
