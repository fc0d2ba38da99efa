// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/scriptline"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/detect/steps"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// grouped is in imports that are in other groups than those.
var grouped = lazyregexp.New(`(?s)"[^"\n/]+\.[^"\n]*"\n\n|\n\n.*\n\n`)

// unnamed is in imports of which register-gen has not written all: it names each. That of v0.32 lacks
// some, which goimports puts in.
var unnamed = lazyregexp.New(`(?m)^\t"`)

// readClientImports finds the command that changes the imports of code-generator's files: it writes one group of the standard library's,
// and one of all others.
func (r *Reader) readClientImports() {
	var changed, unchanged []string
	for _, f := range r.Files {
		switch {
		case !slices.Contains(repo.GengoTools, f.Generator):
		case grouped.MatchString(string(importsOf(f.Data))), f.Generator == "register-gen" && unnamed.Match(importsOf(f.Data)):
			changed = append(changed, f.Path)
		case f.Uses(r.owns) && f.Uses(func(p string) bool { return !r.owns(p) && strings.Contains(p, ".") }):
			unchanged = append(unchanged, f.Path) // though a formatter would find two groups in it
		}
	}
	if lines := scriptline.BreaksLines.Find(r.Texts); len(lines) > 0 {
		for _, dir := range slices.Concat(r.ClientDirs...) {
			r.PostProcess(lines.Near(dir).On(dir))
		}
	}
	commands := scriptline.GroupsImports.Find(r.Texts)
	if len(changed) == 0 || len(commands) == 0 && len(changed) <= len(unchanged) {
		return
	}
	r.regrouped = len(commands) == 0
	by := func(file string) config.PostProcessed {
		one := commands.Near(file).On(file)
		one.Changes = config.ChangesForm // the imports show no more than that
		return one
	}
	for _, dirs := range r.ClientDirs {
		below := func(file string) bool {
			return slices.ContainsFunc(dirs, func(dir string) bool { return text.Below(dir, file) })
		}
		if !slices.ContainsFunc(changed, below) {
			continue
		}
		for _, dir := range dirs { // a lister has too few imports to tell
			r.PostProcess(by(dir))
		}
	}
	for _, file := range changed {
		r.PostProcess(by(file))
	}
}

// clientScript is in scripts that may change what code-generator wrote. Others that edit Go files do so at other times, as for a release.
var clientScript = lazyregexp.New(`\bcode-?gen|_codegen|generate-groups|client-gen`)

// clientWords are what each match of clientScript has: to look for them is many times as fast, and most scripts have none.
var clientWords = []string{"codegen", "code-gen", "generate-groups", "client-gen"}

// readClientEdits finds the commands that edit code-generator's clients in place, as sed does: their lines name the directory of a client tree, or
// one around it or in it, or they are in a loop over the files that find lists there.
func (r *Reader) readClientEdits() {
	for _, t := range r.Texts {
		if !slices.ContainsFunc(clientWords, func(w string) bool { return bytes.Contains(t.Data, []byte(w)) }) || !clientScript.Match(t.Data) {
			continue
		}
		if t.Shell() {
			r.readClientWrites(t)
		}
		n := 0
		var loop []string // the line of find
		for line := range strings.Lines(string(commentLine.ReplaceAll(t.Data, nil))) {
			words := strings.Fields(line)
			if strings.Contains(line, "find ") && loopOver.MatchString(line) {
				loop = words
			}
			named := slices.Concat(words, loop)
			if loopEnd.MatchString(line) { // which may be the line that it begins in
				loop = nil
			}
			if n++; !scriptline.InPlace(words) {
				continue
			}
			for _, dir := range slices.Concat(r.ClientDirs...) {
				if slices.ContainsFunc(named, func(w string) bool {
					w = strings.Trim(w, `"'`)
					w, _, _ = strings.Cut(strings.TrimPrefix(w, variableInFront.FindString(w)), "*")
					w = path.Clean(w)
					return w != "." && (text.Below(w, dir) || text.Below(dir, w))
				}) {
					r.PostProcess(scriptline.Line{At: repo.At(t.Path, n), Words: words}.On(dir))
				}
			}
		}
	}
}

// loopOver is in a line that begins a loop over what a command prints, and loopEnd in one that ends a loop.
var (
	loopOver = lazyregexp.New(`\bwhile\b.*\bread\b|\bfor\s+\w+\s+in\s`)
	loopEnd  = lazyregexp.New(`(^|[\s;])done\b`)
)

// readClientWrites finds the commands of a script whose output goes to a file that is in a client tree.
func (r *Reader) readClientWrites(t repo.Script) {
	for _, c := range shell.ReadCall(path.Join(shell.Root, t.Path), string(t.Data), shell.Root, shell.Call{}).Commands {
		for _, w := range c.Writes {
			file := steps.Local(c.Dir, w)
			if r.Exists(file) && slices.ContainsFunc(slices.Concat(r.ClientDirs...), func(dir string) bool { return text.Below(dir, file) }) {
				r.PostProcess(scriptline.Line{At: repo.At(t.Path, c.Line), Words: append(slices.Clone(c.Words), ">", file)}.On(file))
			}
		}
	}
}

// owns reports whether an import path is one of the repository's modules.
func (r *Reader) owns(importPath string) bool {
	_, ok := r.Modules.Dir(importPath)
	return ok
}

// readImportForms finds the commands that change the imports of deep copies after controller-gen wrote them: it writes one declaration,
// with or without imports, and no empty lines in it. Those of a call count together: most formatters are given all packages. Where the call
// is not found, as in a submodule, neither may be what formats its files, and what formats most clients may be given deep copies, too.
func (r *Reader) readImportForms(calls []*genCall, own []repo.Manifest) {
	by := scriptline.GroupsImports.Find(r.Texts)
	for _, c := range calls {
		if len(by) == 0 && c.Inferred == "" && !r.regrouped {
			continue
		}
		made := map[string][]string{}
		r.filesOfCall(c, own, made)
		var code []string
		for _, files := range made {
			code = append(code, slices.DeleteFunc(files, func(file string) bool { return path.Ext(file) != ".go" })...)
		}
		if slices.ContainsFunc(r.Files, func(f *repo.GoFile) bool {
			return slices.Contains(code, f.Path) && formatted(f.Data) && (len(by) > 0 || len(importsOf(f.Data)) > 0)
		}) {
			for _, file := range code {
				one := by.Near(file).On(file)
				if len(by) == 0 {
					one.Changes = config.ChangesForm
				}
				r.PostProcess(one)
			}
		}
	}
}

// formatted reports whether the imports of a Go file are not as controller-gen writes them: goimports names a package that is called like
// the version at the end of its path.
func formatted(code []byte) bool {
	imports := importsOf(code)
	named := slices.ContainsFunc(versionImport.FindAllSubmatch(imports, -1), func(m [][]byte) bool { return bytes.Equal(m[1], m[2]) })
	return named || !bytes.Contains(code, []byte("\nimport (")) || bytes.Contains(imports, []byte("\n\n\t"))
}

var versionImport = lazyregexp.New(`\n\t(v[0-9]\w*) "[^"\n]*/(v[0-9]\w*)"`)

// importsOf is the text between the brackets of the first import declaration.
func importsOf(code []byte) []byte {
	_, rest, _ := bytes.Cut(code, []byte("\nimport ("))
	imports, _, _ := bytes.Cut(rest, []byte("\n)"))
	return imports
}
