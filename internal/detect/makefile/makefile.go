// SPDX-License-Identifier: Apache-2.0

// Package makefile reads makefiles as far as projects use them to generate code: variables, includes, conditions that can be
// decided, rules with their recipes, and the functions that make words and paths.
//
// It runs nothing: what only a command or the environment knows stays in a text as it stands in the makefile. It does not know
// the shell; recipes are handed out as text.
package makefile

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// File is a makefile with all that it includes.
type File struct {
	Rules []*Rule
	// Undecided are the conditions that cannot be decided. Both of their branches are read.
	Undecided []Place
	// Missing are the files that are included and cannot be read.
	Missing []Place
	// Included are the paths of all files that were read, the makefile first.
	Included []string
	// OneShell is set where all lines of a recipe go to one shell.
	OneShell bool

	sys  System
	dir  string // the directory that make runs in, as CURDIR has it
	vars map[string]*variable

	exported []string
	budget   int
	depth    int
	pending  []*condition // that are open
	maybe    bool         // in a branch that may not count
}

// Place is a line of a makefile.
type Place struct {
	Path string
	Line int
	Text string
}

// Line is a line of a recipe, without the characters that tell make how to run it.
type Line struct {
	Place
	GoesOn bool // whether make goes on when it fails
}

// Rule has the recipe of one or several targets.
type Rule struct {
	Place
	Targets, Needs []string
	Recipe         []Place
	// Vars are the variables of these targets alone.
	Vars map[string]string
	// Maybe is set in a branch of a condition that cannot be decided.
	Maybe bool
}

// System answers what make asks of the machine. Paths are relative to the repository's root.
type System struct {
	// Read returns the text of a file.
	Read func(file string) (string, bool)
	// Glob returns the files that match a pattern, sorted.
	Glob func(pattern string) []string
	// Partial is set for a file that others include, which may set the variables that it does not.
	Partial bool
	// Shell returns what a command prints that runs in a directory; ok is false where that cannot be known.
	Shell func(command, dir string) (out string, ok bool)
}

// What bounds the reading of a makefile that expands without end.
const (
	maxBudget   = 8 << 20
	maxDepth    = 64
	maxIncludes = 200
)

// Read reads a makefile; root is the absolute path that stands for the repository's root in texts, and dir the directory, relative
// to it, in which make runs.
func Read(file, root, dir string, sys System) *File {
	f := &File{sys: sys, dir: path.Join(root, dir), vars: map[string]*variable{}, budget: maxBudget}
	f.set("CURDIR", f.dir)
	f.set("PWD", f.dir)
	f.set("MAKE", "make")
	f.set("SHELL", "/bin/sh")
	f.set("MAKEFILE_LIST", "")
	f.include(file)
	return f
}

func (f *File) include(file string) {
	if len(f.Included) >= maxIncludes || slices.Contains(f.Included, file) {
		return
	}
	text, ok := f.sys.Read(file)
	if !ok {
		return
	}
	f.Included = append(f.Included, file)
	f.set("MAKEFILE_LIST", strings.TrimSpace(f.vars["MAKEFILE_LIST"].value+" "+path.Join(f.root(), file)))
	r := &reader{File: f, path: file}
	r.read(strings.ReplaceAll(text, "\r\n", "\n"))
}

// Exported are the variables that commands see in their environment.
func (f *File) Exported() map[string]string {
	all := map[string]string{}
	for _, name := range f.exported {
		if f.vars[name] != nil {
			all[name] = f.value(name, nil)
		}
	}
	return all
}

// Rule finds the rules that make a target: all that name it, or the pattern rules that match it, with the text that % stands for.
func (f *File) Rule(target string) (rules []*Rule, stem string) {
	for _, r := range f.Rules {
		if slices.Contains(r.Targets, target) {
			rules = append(rules, r)
		}
	}
	if slices.ContainsFunc(rules, func(r *Rule) bool { return len(r.Recipe) > 0 }) {
		return rules, ""
	}
	for _, r := range f.Rules {
		for _, t := range r.Targets {
			if stem, ok := match(t, target); ok && strings.Contains(t, "%") && len(r.Recipe) > 0 {
				return append(rules, r), stem
			}
		}
	}
	return rules, ""
}

// sets is a line of a recipe that does nothing but set a variable, for the lines after it.
var sets = lazyregexp.New(`^[\s@+-]*\$[({]eval\s+([\w.-]+)\s*:{0,2}=\s*((?s).*)[)}]\s*$`)

// Lines are the lines of a rule's recipe as the shell gets them, with those that continue them. Overrides are the variables of
// make's command line.
func (f *File) Lines(r *Rule, target, stem string, overrides map[string]string) (lines []Line) {
	local := map[string]string{"@": target, "*": stem, "<": "", "^": "", "?": "", "+": "", "|": "", "%": ""}
	var needs []string
	for _, n := range r.Needs {
		needs = append(needs, strings.ReplaceAll(n, "%", stem))
	}
	if len(needs) > 0 {
		local["<"] = needs[0]
		local["^"], local["?"], local["+"] = strings.Join(needs, " "), strings.Join(needs, " "), strings.Join(needs, " ")
	}
	local["@D"], local["@F"] = strings.TrimSuffix(path.Dir(target), "/"), path.Base(target)
	f.targetVars(target, local)
	for name, value := range overrides {
		local[name] = value
	}
	for _, line := range r.Recipe {
		if m := sets.FindStringSubmatch(line.Text); m != nil {
			if value := f.expand(m[2], local); !Unknown(value) {
				local[m[1]] = value
				continue
			}
			delete(local, m[1])
		}
		text := f.expand(line.Text, local)
		command := strings.TrimLeft(text, "\t @-+")
		lines = append(lines, Line{Place{line.Path, line.Line, command}, strings.Contains(strings.TrimSuffix(text, command), "-")})
	}
	if f.OneShell && len(lines) > 0 {
		return []Line{oneLine(lines)}
	}
	return lines
}

// oneLine is the text of lines that go to one shell, with each in its place.
func oneLine(lines []Line) Line {
	one := lines[0]
	for _, l := range lines[1:] {
		next := one.Line + strings.Count(one.Text, "\n")
		one.Text += strings.Repeat("\n", max(1, l.Line-next)) + l.Text
	}
	return one
}

// targetVars adds the variables of a target: first those that refer to none.
func (f *File) targetVars(target string, local map[string]string) {
	for _, refers := range []bool{false, true} {
		for _, r := range f.Rules {
			for _, name := range slices.Sorted(maps.Keys(r.Vars)) {
				named := slices.ContainsFunc(r.Targets, func(t string) bool { _, ok := match(t, target); return ok })
				if value := r.Vars[name]; named && Unknown(value) == refers {
					local[name] = f.expand(value, local)
				}
			}
		}
	}
}

// Defines reports whether a makefile sets a variable for all targets.
func (f *File) Defines(name string) bool { return f.vars[name] != nil }

// Name is how errors and comments name a rule.
func (r *Rule) Name() string { return strings.Join(r.Targets, " ") }
