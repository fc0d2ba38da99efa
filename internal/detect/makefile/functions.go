// SPDX-License-Identifier: Apache-2.0

package makefile

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// functions are those of make whose arguments are expanded first; n is how many they take.
var functions = map[string]struct {
	n  int
	do func(f *File, args []string) string
}{
	"abspath":   {1, func(f *File, a []string) string { return eachWord(a[0], f.abs) }},
	"realpath":  {1, func(f *File, a []string) string { return eachWord(a[0], f.abs) }},
	"addprefix": {2, func(_ *File, a []string) string { return eachWord(a[1], func(w string) string { return a[0] + w }) }},
	"addsuffix": {2, func(_ *File, a []string) string { return eachWord(a[1], func(w string) string { return w + a[0] }) }},
	"basename": {1, func(_ *File, a []string) string {
		return eachWord(a[0], func(w string) string { return strings.TrimSuffix(w, path.Ext(w)) })
	}},
	"dir":        {1, func(_ *File, a []string) string { return eachWord(a[0], dirOf) }},
	"filter":     {2, func(_ *File, a []string) string { return filter(a, true) }},
	"filter-out": {2, func(_ *File, a []string) string { return filter(a, false) }},
	"findstring": {2, func(_ *File, a []string) string {
		if strings.Contains(a[1], a[0]) {
			return a[0]
		}
		return ""
	}},
	"firstword": {1, func(_ *File, a []string) string { return nth(a[0], 0) }},
	"join": {2, func(_ *File, a []string) string {
		x, y := strings.Fields(a[0]), strings.Fields(a[1])
		for i, w := range y {
			if i < len(x) {
				x[i] += w
			} else {
				x = append(x, w)
			}
		}
		return strings.Join(x, " ")
	}},
	"lastword": {1, func(_ *File, a []string) string { return nth(a[0], len(strings.Fields(a[0]))-1) }},
	"origin": {1, func(f *File, a []string) string {
		if f.vars[strings.TrimSpace(a[0])] == nil {
			return "undefined"
		}
		return "file"
	}},
	"notdir":   {1, func(_ *File, a []string) string { return eachWord(a[0], path.Base) }},
	"patsubst": {3, func(f *File, a []string) string { return f.patsubst(a[0], a[1], a[2]) }},
	"sort": {1, func(_ *File, a []string) string {
		words := strings.Fields(a[0])
		slices.Sort(words)
		return strings.Join(slices.Compact(words), " ")
	}},
	"strip": {1, func(_ *File, a []string) string { return strings.Join(strings.Fields(a[0]), " ") }},
	"subst": {3, func(_ *File, a []string) string {
		if a[0] == "" {
			return a[2] + a[1]
		}
		return strings.ReplaceAll(a[2], a[0], a[1])
	}},
	"wildcard": {1, (*File).wildcard},
	"word": {2, func(_ *File, a []string) string {
		n, err := strconv.Atoi(strings.TrimSpace(a[0]))
		if err != nil {
			return ""
		}
		return nth(a[1], n-1)
	}},
}

// function calls a function of make. A call whose result is not known stays, with what is known in its arguments.
func (f *File) function(name, text string, local map[string]string) string {
	switch name {
	case "shell":
		command := f.expand(text, local)
		if out, ok := f.sys.Shell(command, f.dir); ok {
			return strings.Join(strings.Fields(out), " ")
		}
		return "$(shell " + command + ")"
	case "call":
		return f.call(text, local)
	case "foreach":
		return f.foreach(text, local)
	case "if", "or", "and":
		return f.choose(name, text, local)
	}
	fn := functions[name]
	args := arguments(text, fn.n)
	if len(args) < fn.n {
		return "$(" + name + " " + text + ")"
	}
	for i, a := range args {
		args[i] = f.expand(a, local)
		if i > 0 {
			args[i] = strings.TrimLeft(args[i], " \t")
		}
		if f.budget -= len(args[i]); f.budget < 0 {
			return ""
		}
	}
	if strings.Contains(strings.Join(args, ""), "$(shell") && name != "abspath" && name != "realpath" {
		return "$(" + name + " " + strings.Join(args, ",") + ")" // its words are not known
	}
	out := fn.do(f, args)
	if f.budget -= len(out); f.budget < 0 {
		return ""
	}
	return out
}

// call expands a variable with arguments.
func (f *File) call(text string, local map[string]string) string {
	args := arguments(text, 16)
	name := strings.TrimSpace(f.expand(args[0], local))
	v := f.vars[name]
	if v == nil {
		return "$(call " + text + ")"
	}
	inner := map[string]string{"0": name}
	for _, auto := range []string{"@", "<", "^", "*", "?", "+"} {
		inner[auto] = local[auto]
	}
	for i := 1; i < 16; i++ {
		inner[strconv.Itoa(i)] = ""
		if i < len(args) {
			inner[strconv.Itoa(i)] = f.expand(args[i], local)
		}
	}
	return f.expand(v.value, inner)
}

// foreach expands a text once for each word.
func (f *File) foreach(text string, local map[string]string) string {
	args := arguments(text, 3)
	if len(args) < 3 {
		return "$(foreach " + text + ")"
	}
	name := strings.TrimSpace(f.expand(args[0], local))
	list := f.expand(args[1], local)
	if Unknown(list) {
		return "$(foreach " + text + ")"
	}
	var out []string
	for _, w := range strings.Fields(list) {
		inner := map[string]string{}
		for k, v := range local {
			inner[k] = v
		}
		inner[name] = w
		if f.budget -= 64 + 16*len(local); f.budget < 0 {
			break
		}
		out = append(out, f.expand(args[2], inner))
	}
	return strings.Join(out, " ")
}

// unset is a reference to a variable that no makefile sets, or what finds a program in PATH: $(or) has another value for where there is none.
var unset = lazyregexp.New(`^\$\((\w+|shell +(command -v|which) +[\w.-]+( +2> *[\w/&]+)?)\)$`)

// choose is if, or, and.
func (f *File) choose(name, text string, local map[string]string) string {
	args := arguments(text, 16)
	value := func(i int) string {
		if i < len(args) {
			return strings.TrimSpace(f.expand(args[i], local))
		}
		return ""
	}
	for name == "or" && len(args) > 1 && unset.MatchString(value(0)) {
		args = args[1:] // the user's machine may have it, and what others have is not known
	}
	first := value(0)
	switch {
	case Unknown(first):
		return "$(" + name + " " + text + ")"
	case name == "if" && first != "":
		return value(1)
	case name == "if":
		return value(2)
	}
	for i := range args {
		if v := value(i); (v != "") == (name == "or") {
			return v
		}
	}
	return value(len(args) - 1)
}

func eachWord(text string, do func(string) string) string {
	words := strings.Fields(text)
	if Unknown(text) {
		words = []string{strings.TrimSpace(text)}
	}
	for i, w := range words {
		words[i] = do(w)
	}
	return strings.Join(words, " ")
}

func dirOf(w string) string {
	if i := strings.LastIndexByte(w, '/'); i >= 0 {
		return w[:i+1]
	}
	return "./"
}

func nth(text string, i int) string {
	words := strings.Fields(text)
	if i < 0 || i >= len(words) {
		return ""
	}
	return words[i]
}

func filter(args []string, keep bool) string {
	var out []string
	for _, w := range strings.Fields(args[1]) {
		matches := slices.ContainsFunc(strings.Fields(args[0]), func(p string) bool { _, ok := match(p, w); return ok })
		if matches == keep {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// match reports whether a word matches a pattern with at most one %, and what that stands for.
func match(pattern, word string) (stem string, ok bool) {
	before, after, wild := strings.Cut(pattern, "%")
	if !wild {
		return "", pattern == word
	}
	if len(word) < len(before)+len(after) || !strings.HasPrefix(word, before) || !strings.HasSuffix(word, after) {
		return "", false
	}
	return word[len(before) : len(word)-len(after)], true
}

func (f *File) patsubst(from, to, text string) string {
	return eachWord(text, func(w string) string {
		stem, ok := match(from, w)
		if !ok {
			return w
		}
		if !strings.Contains(from, "%") {
			return to
		}
		return strings.Replace(to, "%", stem, 1)
	})
}

// wildcard finds the files of patterns, as paths relative to the directory in which make runs.
func (f *File) wildcard(args []string) string {
	var out []string
	prefix := strings.TrimPrefix(strings.TrimPrefix(f.dir, f.root()), "/")
	for _, p := range strings.Fields(args[0]) {
		if Unknown(p) {
			return "$(wildcard " + args[0] + ")"
		}
		inRoot, absolute := strings.CutPrefix(p, f.root()+"/")
		if !absolute {
			inRoot = path.Join(prefix, p)
		}
		for _, found := range f.sys.Glob(inRoot) {
			switch {
			case absolute:
				found = path.Join(f.root(), found)
			case prefix != "":
				found = strings.TrimPrefix(found, prefix+"/")
			}
			out = append(out, found)
		}
	}
	return strings.Join(out, " ")
}
