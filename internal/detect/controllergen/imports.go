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
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// grouped is in imports that are in other groups than those.
var grouped = lazyregexp.New(`(?s)"[^"\n/]+\.[^"\n]*"\n\n|\n\n.*\n\n`)

// readClientImports finds the command that changes the imports of code-generator's files: it writes one group of the standard library's,
// and one of all others.
func (r *Reader) readClientImports() {
	var changed, unchanged []string
	for _, f := range r.Files {
		switch {
		case !slices.Contains(repo.GengoTools, f.Generator):
		case grouped.MatchString(string(importsOf(f.Data))):
			changed = append(changed, f.Path)
		case f.Uses(r.owns) && f.Uses(func(p string) bool { return !r.owns(p) && strings.Contains(p, ".") }):
			unchanged = append(unchanged, f.Path) // though a formatter would find two groups in it
		}
	}
	commands := scriptline.GroupsImports.Find(r.Texts)
	if len(changed) == 0 || len(commands) == 0 && len(changed) <= len(unchanged) {
		return
	}
	by := func(file string) config.PostProcessed {
		if len(commands) > 0 {
			return commands.Near(file).On(file)
		}
		return config.PostProcessed{Path: file, By: config.UnknownCommand, Changes: config.ChangesForm}
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

// owns reports whether an import path is one of the repository's modules.
func (r *Reader) owns(importPath string) bool {
	_, ok := r.Modules.Dir(importPath)
	return ok
}

// readImportForms finds the commands that change the imports of deep copies after controller-gen wrote them: it writes one declaration,
// with or without imports, and no empty lines in it. Those of a call count together: most formatters are given all packages.
func (r *Reader) readImportForms(calls []*genCall, own []repo.Manifest) {
	by := scriptline.GroupsImports.Find(r.Texts)
	if len(by) == 0 {
		return
	}
	for _, c := range calls {
		made := map[string][]string{}
		r.filesOfCall(c, own, made)
		var code []string
		for _, files := range made {
			code = append(code, slices.DeleteFunc(files, func(file string) bool { return path.Ext(file) != ".go" })...)
		}
		if slices.ContainsFunc(r.Files, func(f *repo.GoFile) bool { return slices.Contains(code, f.Path) && formatted(f.Data) }) {
			for _, file := range code {
				r.PostProcess(by.Near(file).On(file))
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
