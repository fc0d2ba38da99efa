// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/detect/steps"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// made are the files of calls of controller-gen that are in the tree, by their directory.
type made struct {
	byDir  map[string][]string
	inForm map[string]bool
}

// filesOfCall are the files that a call made.
func (d *discovery) filesOfCall(c *genCall, own []repo.Manifest, into map[string][]string) {
	add := func(file string) {
		if dir := path.Dir(file); !slices.Contains(into[dir], file) {
			into[dir] = append(into[dir], file)
		}
	}
	for _, name := range c.Generators() {
		dir, ok := c.OutputDir(name)
		if !ok && name != "object" {
			continue
		}
		switch name {
		case "object":
			for _, f := range d.Files {
				if f.Generator == controllerGen && path.Base(f.Path) == helpers[0].file && covers(c, d.Modules, f.Dir) {
					add(f.Path)
				}
			}
		case "crd":
			for _, m := range own {
				if m.Dir == dir {
					add(m.Path)
				}
			}
			for _, file := range d.bareIn(dir) {
				add(file)
			}
		case "schemapatch":
			for _, file := range d.patched(c) {
				add(file)
			}
		case "rbac":
			if file := roleFile(c); d.Exists(path.Join(dir, file)) {
				add(path.Join(dir, file))
			}
		case "webhook":
			if file := path.Join(dir, "manifests.yaml"); d.Exists(file) {
				add(file)
			}
		}
	}
}

// bareIn are the CRDs of the repository's own types in a directory that lack the annotation by which they are known: a script removes it.
func (d *discovery) bareIn(dir string) (files []string) {
	for _, crd := range d.CRDs {
		if crd.Dir == dir && crd.Version == "" && crd.AsMade() && crd.IsOf(d.kinds) {
			files = append(files, crd.Path)
		}
	}
	return files
}

// patched are the CRDs into which a call puts schemas, and nothing else: the rest of them is written by hand.
func (d *discovery) patched(c *genCall) (files []string) {
	dir, ok := c.OutputDir("schemapatch")
	if !ok || c.SchemaPatch == nil || path.Join(c.Dir, c.SchemaPatch.Manifests) != dir {
		return nil
	}
	for _, crd := range d.CRDs {
		if crd.Dir == dir && crd.IsOf(d.kinds) {
			files = append(files, crd.Path)
		}
	}
	return files
}

func roleFile(c *genCall) string {
	if c.RBAC != nil && c.RBAC.FileName != "" {
		return c.RBAC.FileName
	}
	return crdform.RoleFile
}

// readPostProcessed finds what changes or deletes files after controller-gen wrote them, in the sequences of commands in which
// they are made.
func (d *discovery) readPostProcessed(calls []*genCall, own []repo.Manifest) {
	for _, s := range d.steps.Sequences {
		m := made{map[string][]string{}, map[string]bool{}}
		listed := "" // the directory that was last looked through
		for _, step := range s.Steps {
			if _, _, ok := wordsOf(step.Words); ok {
				for _, c := range calls {
					if c.at == step.At() {
						d.filesOfCall(c, own, m.byDir)
						for _, file := range d.patched(c) {
							m.inForm[file] = true // which it has from who wrote it
						}
						for _, name := range c.Generators() {
							if dir, ok := c.OutputDir(name); ok && m.byDir[dir] == nil {
								m.byDir[dir] = []string{} // what is made there may all be moved away
							}
						}
					}
				}
				continue
			}
			if len(m.byDir) == 0 {
				continue
			}
			if path.Base(step.Words[0]) == "find" && len(step.Words) > 1 {
				listed = steps.Local(step.Dir, step.Words[1])
			}
			d.after(step, &m, listed)
		}
	}
}

// readForms finds the files that are not as controller-gen writes them though no command was found that changes them: they do not
// begin with its line of dashes, lack its annotation, or have another form where a command formats all YAML.
func (d *discovery) readForms(calls []*genCall, own []repo.Manifest) {
	files := map[string][]string{}
	for _, c := range calls {
		if c.SchemaPatch == nil {
			d.filesOfCall(c, own, files)
		}
	}
	formatters, editors, headers := d.commandsWith(formatsYAML.Match), d.commandsWith(changesAnnotation.Match), d.commandsWith(givesHeaders)
	d.readHeaders(calls, headers)
	m := made{inForm: map[string]bool{}}
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		bare := d.bareIn(dir)
		if len(editors) == 0 && slices.ContainsFunc(own, func(m repo.Manifest) bool { return m.Dir == dir && m.Version != "" }) {
			bare = nil // a command would have changed all: a person did, and the next run writes it anew
		}
		for _, file := range files[dir] {
			if len(formatters) > 0 && path.Ext(file) == ".yaml" && !m.form(d, file) {
				by := formatters.near(file)
				if d.namesOthers(by, file) {
					by = d.mentioned(path.Base(file)) // it has that form for another reason
				}
				d.postProcessed(by.on(file))
			}
			if slices.Contains(bare, file) {
				d.postProcessed(editors.near(file).on(file))
			}
			if top := [4]byte{}; path.Ext(file) == ".yaml" && d.found.raw.ControllerGen.PostProcessedBy(file) == nil && d.top(file, top[:]) && string(top[:]) != "---\n" && string(top[:]) != "\n---" { // which is of before v0.9
				by := d.mentioned(path.Base(file))
				if by.at == "" && d.placeholder(file) {
					continue
				}
				if by.at == "" && top[0] == '#' {
					by = headers.near(file)
				}
				d.postProcessed(by.on(file))
			}
		}
	}
}

// changesAnnotation is in a command that removes the annotation with the version or writes something else instead.
var changesAnnotation = lazyregexp.New(`^[^#\n]*\b(sed|yq|awk|perl|grep)\b[^\n]*\bcontroller-gen\b`)

// formatsYAML is in a command that writes all YAML files of a directory in a form of its own.
var formatsYAML = lazyregexp.New(`^[^#\n]*\b(prettier\b[^\n#]*\s(--write|-w)\b|yamlfmt\s+(-\S+\s+)*[.\w]*$)`)

// top reads the beginning of a file.
func (d *discovery) top(file string, into []byte) bool {
	f, err := os.Open(filepath.Join(d.Root, filepath.FromSlash(file)))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	_, err = io.ReadFull(f, into)
	return err == nil
}

// mentioned is the last line of a script that names a file.
func (d *discovery) mentioned(name string) command {
	for _, t := range d.Texts {
		if i := bytes.LastIndex(t.Data, []byte(name)); i >= 0 {
			start, end := 1+bytes.LastIndexByte(t.Data[:i], '\n'), len(t.Data)
			if n := bytes.IndexByte(t.Data[i:], '\n'); n >= 0 {
				end = i + n
			}
			return command{repo.At(t.Path, repo.LineOf(t.Data, i)), strings.Fields(string(t.Data[start:end]))}
		}
	}
	return command{}
}

// placeholder reports whether a role is not generated yet.
func (d *discovery) placeholder(file string) bool {
	data, err := safefs.ReadFile(filepath.Join(d.Root, filepath.FromSlash(file)), safefs.MaxFile)
	return err == nil && crdform.PlaceholderRole(data)
}

// after records what a command does to the files that are made.
func (d *discovery) after(step steps.Step, m *made, listed string) {
	words := step.Words
	at := func(word string) string {
		if m := variableInFront.FindString(word); m != "" {
			return steps.Local(shell.Root, word[len(m):]) // mostly the root, which a script finds in its own way
		}
		return steps.Local(step.Dir, word)
	}
	by := command{step.At(), words}
	for _, file := range step.Writes {
		d.changed(m, at(file), by, true)
	}
	switch name := path.Base(words[0]); {
	case name == "rm":
		for _, w := range words[1:] {
			d.removed(m, at(w), step.At())
			d.removedSome(m, at(w), step.At())
			d.removedAll(m, at(w))
		}
	case inPlace(words):
		known := false
		for _, w := range words[1:] {
			known = d.changed(m, at(w), by, true) || known
			patterns, sure := listedIn(w)
			for _, p := range patterns {
				known = d.changed(m, at(p), by, sure) || known
			}
		}
		if !known && (name == "xargs" || strings.Contains(words[len(words)-1], "$")) {
			d.changed(m, listed, by, false)
		}
	case name == "mv" || name == "cp" || name == "install":
		to := at(words[len(words)-1])
		for _, w := range words[1 : len(words)-1] {
			if name == "mv" {
				d.removed(m, at(w), step.At())
				d.movedAway(m, at(w), to, step.At())
			}
			for _, name := range d.namesOf(at(w), path.Base(w)) {
				d.changed(m, path.Join(to, name), by, true)
			}
		}
		if !d.isDir(to) {
			d.changed(m, to, by, true)
		}
	case name == "tee":
		for _, w := range words[1:] {
			d.changed(m, at(w), by, true)
		}
	case name == "copywrite" || name == "addlicense" || name == "license-eye":
		for dir := range m.byDir {
			d.changed(m, dir, by, false)
		}
	case name == "go" && len(words) > 2 && (words[1] == "run" || words[1] == "generate"):
		d.afterPrograms(step, m, at, by)
	case slices.Contains(readers, name) || name == "go" && len(words) > 1 && words[1] != "tool":
	default:
		d.afterArguments(words[1:], m, at, by)
		d.afterInput(step, m, by)
		d.afterBuilt(name, words[1:], m, at, by)
	}
}

// afterArguments records what a command does to the files that it is given.
func (d *discovery) afterArguments(words []string, m *made, at func(string) string, by command) {
	for _, w := range words {
		_, value, assigned := strings.Cut(w, "=")
		if assigned {
			w = value
		}
		d.changed(m, at(w), by, false)
	}
}

var variableInFront = lazyregexp.New(`^\$(\{?\w+\}?|\([^()]*\))/`)

// readers are programs that read the files that they are given, and write elsewhere.
var readers = []string{"kustomize", "kubectl", "cat", "diff", "ls", "grep", "git", "test", "[", "helm", "tar", "echo", "printf", "mkdir", "docker", "jq", "yq", "find", "cd",
	"gofmt", "goimports", "head", "tail", "wc", "sort", "true", "touch", "chmod", "zip", "operator-sdk", "crd-ref-docs", "gen-crd-api-reference-docs", "sed", "perl", "awk", "kind"}

// inPlace reports whether a command changes the files that it is given: sed -i and its kind, or a program that runs one.
func inPlace(words []string) bool {
	editor := ""
	for _, w := range words {
		switch base := path.Base(w); {
		case base == "sed" || base == "gsed" || base == "perl" || base == "yq" || base == "gawk" || base == "ruby":
			editor = base
		case strings.HasPrefix(w, "$") && strings.Contains(strings.ToLower(w), "yq"):
			editor = "yq"
		case strings.HasPrefix(w, "$") && strings.Contains(strings.ToLower(w), "sed"):
			editor = "sed"
		case editor != "" && (strings.HasPrefix(w, "--in-place") || strings.HasPrefix(w, "--inplace")):
			return true
		case editor != "" && strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "i"):
			return editor != "yq" || len(w) <= 4
		}
	}
	return false
}

// changed records that a file, the files of a pattern, or those below a directory are changed, and reports whether any is
// controller-gen's. Where it is not sure that they are, those count that are not in controller-gen's form. A Go file counts where it is
// named itself.
func (d *discovery) changed(m *made, pattern string, by command, sure bool) bool {
	if pattern == "" {
		return false
	}
	any := false
	for dir, files := range m.byDir {
		var hit []string
		for _, file := range files {
			matches, _ := path.Match(pattern, file)
			if code := path.Ext(file) == ".go"; (matches || !code && pattern != "." && text.Below(pattern, file)) && (sure || !code && !m.form(d, file)) {
				hit = append(hit, file)
			}
		}
		any = any || len(hit) > 0
		if len(hit) > 1 && len(hit) == len(files) {
			hit = []string{dir}
		}
		for _, p := range hit {
			d.postProcessed(by.on(p))
		}
	}
	return any
}

// postProcessed records a file or directory with the first that changes it, or with the first that may change more than its form.
func (d *discovery) postProcessed(p config.PostProcessed) {
	all := &d.found.raw.ControllerGen.PostProcessed
	less := func(a, b config.PostProcessed) bool {
		return slices.Index(changes, a.Changes) < slices.Index(changes, b.Changes)
	}
	if slices.ContainsFunc(*all, func(o config.PostProcessed) bool { return text.Below(o.Path, p.Path) && !less(o, p) }) {
		return
	}
	*all = append(slices.DeleteFunc(*all, func(o config.PostProcessed) bool { return text.Below(p.Path, o.Path) && !less(p, o) }), p)
	slices.SortFunc(*all, func(a, b config.PostProcessed) int { return strings.Compare(a.Path, b.Path) })
}

// changes are what commands may change, from the least to anything.
var changes = []config.Change{config.ChangesForm, config.ChangesMetadata, ""}

// writable are the names of the files that controller-gen writes.
var writable = lazyregexp.New(`(^|/)([a-z0-9.-]*_[a-z0-9-]*|role|manifests)\.yaml$`)

// form reports whether a manifest is in the form in which controller-gen writes.
func (m *made) form(d *discovery, file string) bool {
	is, ok := m.inForm[file]
	if !ok {
		data, err := safefs.ReadFile(filepath.Join(d.Root, filepath.FromSlash(file)), safefs.MaxFile)
		is = err == nil
		rest, marked := strings.CutPrefix(string(data), "---\n")
		is = is && marked
		for doc := range strings.SplitSeq(rest, "\n---\n") {
			is = is && crdform.InForm([]byte("---\n"+strings.TrimSuffix(doc, "\n")+"\n"))
		}
		m.inForm[file] = is
	}
	return is
}

func (d *discovery) isDir(rel string) bool {
	info, err := os.Stat(filepath.Join(d.Root, filepath.FromSlash(rel)))
	return rel != "" && err == nil && info.IsDir()
}
