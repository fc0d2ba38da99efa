// SPDX-License-Identifier: Apache-2.0

package steps

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/makefile"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// run collects the steps of a sequence.
type run struct {
	*Reader
	file  *makefile.File // whose targets make runs in dir, if any
	dir   string
	done  map[string]bool         // targets
	chain map[*makefile.Rule]bool // the pattern rules that are on their way
	steps []Step
	seen  bool // whether a step of interest came
	depth int
}

// What bounds a sequence.
const (
	maxDepth = 12
	maxSteps = 20000
)

var makeCall = lazyregexp.New(`(?m)(?:\$[({]MAKE[)}]|\bmake)\s+([^;&|\n]*)`)

// targets reads what people run of a makefile: the targets with the name of something that generates code and that no other such
// target runs; then the others that have a command of interest.
func (x *Reader) targets(f *makefile.File, dir string) {
	needs := map[string][]string{}
	var order []string
	for _, r := range f.Rules {
		for _, t := range r.Targets {
			if _, ok := needs[t]; !ok {
				order = append(order, t)
			}
			needs[t] = append(needs[t], r.Needs...)
			for _, line := range r.Recipe {
				for _, m := range makeCall.FindAllStringSubmatch(line.Text, -1) {
					needs[t] = append(needs[t], strings.Fields(m[1])...)
				}
			}
		}
	}
	reach := func(from string) map[string]bool {
		all := map[string]bool{}
		for next := slices.Clone(needs[from]); len(next) > 0; {
			t := next[0]
			next = next[1:]
			if !all[t] {
				all[t] = true
				next = append(next, needs[t]...)
			}
		}
		return all
	}
	below := map[string]bool{}
	var roots []string
	for _, t := range order {
		if Generates(t) && !below[t] {
			roots = append(roots, t)
			reached := reach(t)
			if reached[t] {
				delete(reached, t) // a circle, which make breaks
			}
			maps.Copy(below, reached)
		}
	}
	covered := map[string]bool{}
	add := func(t string) {
		run := &run{Reader: x, file: f, dir: path.Join(shell.Root, dir), done: map[string]bool{}, chain: map[*makefile.Rule]bool{}}
		run.target(t, nil)
		maps.Copy(covered, run.done)
		x.add(f.Included[0]+": "+t, t, run.steps)
	}
	for _, t := range roots {
		if !below[t] {
			add(t)
		}
	}
	for _, r := range f.Rules {
		if !covered[r.Targets[0]] && slices.ContainsFunc(r.Recipe, func(l makefile.Place) bool { return x.runs(l.Text) }) {
			add(r.Targets[0])
		}
	}
}

// target runs a target after those that it needs.
func (x *run) target(name string, overrides map[string]string) {
	if x.done[name] || len(x.steps) > maxSteps {
		return
	}
	x.done[name] = true
	rules, stem := x.file.Rule(name)
	// As make has it, a pattern rule comes once in a chain: %: %.stamp has no end.
	rules = slices.DeleteFunc(rules, func(r *makefile.Rule) bool { return x.chain[r] })
	for _, r := range rules {
		pattern := !slices.Contains(r.Targets, name)
		x.chain[r] = pattern
		for _, need := range r.Needs {
			x.target(strings.ReplaceAll(need, "%", stem), overrides)
		}
		delete(x.chain, r)
	}
	for _, r := range rules {
		if len(r.Recipe) > 0 {
			x.recipe(x.file.Lines(r, name, stem, overrides), r.Maybe, overrides)
		}
	}
}

// recipe runs the lines of a recipe. Before the first step of interest, only those count that may lead to one.
func (x *run) recipe(lines []makefile.Line, maybe bool, overrides map[string]string) {
	for _, line := range lines {
		if !x.seen && !x.wanted(line.Text) && !leads.MatchString(line.Text) {
			continue
		}
		texts := []string{line.Text}
		if !x.file.OneShell {
			texts = logical(line.Text)
		}
		for i, text := range texts {
			read := shell.ReadCall(path.Join(shell.Root, line.Path), text, x.dir, shell.Call{Env: x.file.Exported()})
			for j := range read.Commands {
				read.Commands[j].GoesOn = read.Commands[j].GoesOn || line.GoesOn
			}
			start := len(x.steps)
			if i > 0 && strings.Count(line.Text, "\\\n") == 0 {
				// A line of a variable of several lines has no place of its own.
				for j := range read.Commands {
					read.Commands[j].Line = 1
				}
			}
			x.commands(read.Commands, line.Path, line.Line-1, overrides)
			for j := range x.steps[start:] {
				x.steps[start+j].Maybe = x.steps[start+j].Maybe || maybe
			}
		}
	}
}

// leads is in lines that run other files.
var leads = lazyregexp.New(`\.(sh|bash)\b|\bmake\b|\bgenerate\b`)

// logical are the lines of a text, each with those that continue it.
func logical(text string) (lines []string) {
	line := ""
	for l := range strings.Lines(text) {
		line += l
		if !strings.HasSuffix(l, "\\\n") {
			lines, line = append(lines, strings.TrimLeft(strings.TrimSuffix(line, "\n"), "\t @-+")), ""
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// commands adds commands of a file, and those that they run.
func (x *run) commands(all []shell.Command, file string, above int, overrides map[string]string) {
	for _, c := range all {
		c.Line += above
		if len(x.steps) > maxSteps {
			return
		}
		words := unwrapped(c)
		if len(words) == 0 {
			continue
		}
		inShell := c
		inShell.Words = words
		if nested, ok := inShell.Nested(path.Join(shell.Root, file)); ok {
			x.commands(nested, file, 0, overrides)
			continue
		}
		switch {
		case path.Base(words[0]) == "make":
			x.make(c, words[1:], overrides)
			continue
		case path.Base(words[0]) == "go":
			if dir, args, ok := goGenerate(words[1:], c.Dir); ok {
				x.steps = append(x.steps, Step{Command: c, Path: file})
				x.generate(packagesOf(args), dir, c.Env)
				continue
			}
		}
		if script, args, ok := x.scriptOf(words, c.Dir); ok {
			env := maps.Clone(c.Env)
			if x.file != nil {
				env = x.file.Exported()
				maps.Copy(env, c.Env)
			}
			start := len(x.steps)
			x.script(script, c.Dir, shell.Call{Args: args, Env: env})
			x.nameTool(x.steps[start:], args)
			continue
		}
		c.Words = intoDirectory(words)
		x.steps = append(x.steps, Step{Command: c, Path: file})
		x.seen = x.seen || x.wanted(strings.Join(words, " "))
	}
}

// nameTool gives a program that cannot be read the name that the script was given before the arguments of that program.
func (x *run) nameTool(all []Step, args []string) {
	for i, name := range args {
		if !x.wanted(name) {
			continue
		}
		for j := range all {
			if words := all[j].Words; len(words) > 1 && strings.Contains(words[0], "$") && slices.Equal(words[1:], args[i+1:]) {
				all[j].Words = slices.Concat([]string{name}, words[1:])
				x.seen = true
			}
		}
	}
}

// intoDirectory are the words of a command that moves or copies a file, or in a loop each of a pattern, to its own name in a directory, as one that
// names the directory alone.
func intoDirectory(words []string) []string {
	if name := path.Base(words[0]); name != "mv" && name != "cp" || len(words) < 3 {
		return words
	}
	from, to := words[len(words)-2], words[len(words)-1]
	if path.Base(from) != path.Base(to) || path.Ext(to) == "" && !strings.ContainsAny(path.Base(to), "*?[") || !strings.Contains(to, "/") {
		return words
	}
	return append(slices.Clone(words[:len(words)-1]), path.Dir(to))
}

// unwrapped are the words of a command without those that run it in another way. What env sets goes to the command's variables.
func unwrapped(c shell.Command) []string {
	words := c.Words
	for len(words) > 0 {
		switch words[0] {
		case "env", "time", "exec", "sudo", "command", "nice", "then", "!":
			words = words[1:]
			continue
		}
		name, value, assigns := strings.Cut(words[0], "=")
		if !assigns || strings.ContainsAny(name, "/.$:") || len(words) == 1 {
			break
		}
		if c.Env != nil {
			c.Env[name] = value
		}
		words = words[1:]
	}
	return words
}

// scriptOf is the script of the repository that a command runs.
func (x *run) scriptOf(words []string, dir string) (file string, args []string, ok bool) {
	if shell.IsShell(words[0]) {
		words = words[1:]
		for len(words) > 0 && strings.HasPrefix(words[0], "-") {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return "", nil, false
	}
	if ext := path.Ext(words[0]); ext != ".sh" && ext != ".bash" && (ext != "" || !strings.Contains(words[0], "/")) {
		return "", nil, false
	}
	file = Local(dir, words[0])
	if file == "" {
		return "", nil, false
	}
	text, ok := x.text(file)
	return file, slices.Clone(words[1:]), ok && (repo.Script{Path: file, Data: []byte(text)}).Shell()
}

// script runs a script.
func (x *run) script(file, dir string, call shell.Call) {
	if x.depth >= maxDepth {
		return
	}
	if call.Args == nil && x.depth > 0 {
		call.Args = []string{}
	}
	x.read[file] = true
	text, _ := x.text(file)
	given := strings.Join(call.Args, " ") // in which a script that runs any tool may have its name
	if !x.seen && !x.wanted(text) && !x.wanted(given) && !leads.MatchString(text) {
		return
	}
	call.Load, call.Output = func(file string) (string, bool) { return x.text(Local("", file)) }, x.prints
	read := shell.ReadCall(path.Join(shell.Root, file), strings.ReplaceAll(text, "\r\n", "\n"), dir, call)
	if read.Err != nil && x.wanted(text) {
		x.found.Unread = append(x.found.Unread, makefile.Place{Path: file, Line: read.Line, Text: read.Err.Error()})
	}
	x.depth++
	x.commands(read.Commands, file, 0, nil)
	x.depth--
}

// make runs targets of the same makefile. Those of other directories are read on their own.
func (x *run) make(c shell.Command, words []string, overrides map[string]string) {
	if x.file == nil || c.Dir != x.dir || x.depth >= maxDepth {
		return
	}
	given := maps.Clone(overrides)
	if given == nil {
		given = map[string]string{}
	}
	// What the environment has comes before ?=, and after all else that a makefile sets.
	exported := x.file.Exported()
	for name, value := range c.Env {
		if value != exported[name] && !x.file.Defines(name) {
			given[name] = value
		}
	}
	var targets []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, assigns := strings.Cut(w, "=")
		switch {
		case w == "-C" || w == "-f" || strings.HasPrefix(w, "--directory") || strings.HasPrefix(w, "-C"):
			return
		case strings.HasPrefix(w, "-"):
		case assigns:
			given[strings.TrimRight(name, ":?+")] = value
		default:
			targets = append(targets, w)
		}
	}
	x.depth++
	for _, t := range targets {
		if len(given) > 0 {
			delete(x.done, t) // with other values
		}
		x.target(t, given)
	}
	x.depth--
}
