// SPDX-License-Identifier: Apache-2.0

// Package shell reads the commands of scripts, makefiles and other files that have shell commands in them, as far as their words
// can be determined without running anything.
//
// It parses and expands with mvdan.cc/sh, and is handed text: it runs no command, and reads no file, no environment variable and
// no user's home. What cannot be determined stays in a word as it stands in the script. It does not know what a command means.
package shell

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// Root is the directory that stands for the repository's: scripts make paths absolute.
const Root = "/@"

// Temporary begins a path in a temporary directory of a script.
const Temporary = "$(mktemp"

// Script is what was read of a file.
type Script struct {
	Commands    []Command
	Assignments []Assignment
	// Err is why a script cannot be parsed, and Line where. Nothing from there on was read.
	Err  error
	Line int
}

// Command is a simple command.
type Command struct {
	Words []string
	Line  int
	Dir   string // the directory that it runs in
	// Env are the variables that are set for this command alone.
	Env map[string]string
	// Writes are the files that its output goes to. A command of several others has no words but ">".
	Writes []string
	// Reads are the files that its input comes from.
	Reads []string
	// GoesOn is set where its script goes on when it fails.
	GoesOn bool
}

// Assignment gives a variable a value.
type Assignment struct {
	Name, Value string
	Line        int
}

// Kind is how a file holds its commands.
type Kind int

// The kinds of files.
const (
	Bash  Kind = iota
	Make       // recipes, and variables of make's own
	Lines      // each line may be a command: a Dockerfile, a Taskfile
)

// Call is how a script is called.
type Call struct {
	Args []string // nil where they are not known
	Env  map[string]string
	// Load returns the text of a script that is read in with "source"; its path is absolute. Its commands are not read, but its
	// variables are.
	Load func(file string) (string, bool)
	// Output answers what a command prints that this package does not know; it may be nil.
	Output func(words []string, dir string) (out string, ok bool)
}

// ReadCall reads a shell script as it runs when it is called so: its functions where they are called, or if they are not, at the
// end. Patterns of files that loops go through stay patterns.
func ReadCall(file, src, dir string, call Call) *Script {
	s := newState(file, dir)
	s.funcs, s.load, s.other = map[string]function{}, call.Load, call.Output
	for name, value := range call.Env {
		s.vars[name] = text(value)
	}
	if call.Args != nil {
		s.arguments(call.Args)
	}
	s.script(src)
	for _, name := range slices.Sorted(maps.Keys(s.funcs)) {
		if !slices.Contains(s.called, name) {
			s.src = s.funcs[name].src
			s.branch(s.funcs[name].body)
		}
	}
	return s.out
}

// Output returns what commands print, as far as they only make paths and words; other is asked about commands that this package
// does not know.
func Output(src, dir string, other func(words []string, dir string) (out string, ok bool)) (string, bool) {
	s := newState(Root, dir)
	list, err := parse(src)
	if err != nil {
		return "", false
	}
	s.src, s.other = src, other
	return s.output(list)
}

// What bounds the reading of a script that nests or expands without end.
const (
	maxNesting = 1000 // of brackets; the parser recurses
	maxDepth   = 8    // of command substitutions
	maxValue   = 64 << 10
	maxBudget  = 4 << 20
)

// Read reads a file; file is its path, and dir the directory that it is thought to run in, both below Root. Both branches of a
// condition are read, and the bodies of functions where they are declared.
func Read(kind Kind, file, src, dir string) *Script {
	s := newState(file, dir)
	src = strings.ReplaceAll(src, "\r\n", "\n")
	switch kind {
	case Make:
		s.makefile(src)
	case Lines:
		s.lines(src)
	default:
		s.script(src)
	}
	return s.out
}

func newState(file, dir string) *state {
	budget := maxBudget
	return &state{out: &Script{}, file: file, dir: dir, vars: map[string]expand.Variable{}, budget: &budget, values: new(int)}
}

// script reads a shell script.
func (s *state) script(src string) {
	list, err := parse(src)
	if err != nil {
		s.out.Err, s.out.Line = err, 1
		if at := (syntax.ParseError{}); errors.As(err, &at) {
			s.out.Err, s.out.Line = errors.New(at.Text), int(at.Pos.Line())
		}
	}
	s.src, s.goesOn = src, strings.HasPrefix(src, "#!") && !stops.MatchString(src)
	last := max(len(list)-1, 0)
	s.stmts(list[:last])
	s.goesOn = false // a script ends with the error of its last command
	s.stmts(list[last:])
}

// stops finds what makes a shell end at the first command that fails.
var stops = lazyregexp.New(`\$\?|^#!.*\s-[a-zA-Z]*e|(?m:^\s*set\s.*(-[a-zA-Z]*e|errexit))`)

// parse returns the statements of a text up to the first that does not parse.
func parse(src string) (list []*syntax.Stmt, err error) {
	nesting := 0
	for i := range len(src) {
		switch src[i] {
		case '(', '{', '[':
			nesting++
		case ')', '}', ']':
			nesting = max(nesting-1, 0)
		}
		if nesting > maxNesting {
			return nil, errors.New("brackets are nested too deeply")
		}
	}
	for stmt, stmtErr := range syntax.NewParser(syntax.Variant(syntax.LangBash)).StmtsSeq(strings.NewReader(src)) {
		// Leaving the loop here makes the parser panic now and then: it goes on after an error.
		if err = cmp.Or(err, stmtErr); err == nil {
			list = append(list, stmt)
		}
	}
	return list, err
}

// NoGenerators are commands that may have the name of a generator among their arguments, and do not run it.
var NoGenerators = []string{"cd", "pushd", "echo", "printf", "rm", "find", "which", "command", "ls", "mkdir", "git", "grep", "clean", "mv", "cp", "ln", "chmod"}
