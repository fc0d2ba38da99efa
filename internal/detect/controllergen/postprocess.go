// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/scriptline"
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
	// touched are the directories without any, which commands are given that may change what is made there.
	touched map[string]bool
	calls   []*genCall
}

// filesOfCall are the files that a call made.
func (r *Reader) filesOfCall(c *genCall, own []repo.Manifest, into map[string][]string) {
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
			for _, f := range r.Files {
				if f.Generator == Name && path.Base(f.Path) == DeepCopies && copiesTo(c, r.Modules, f.Dir) {
					add(f.Path)
				}
			}
		case "crd":
			for _, m := range own {
				if m.Dir == dir {
					add(m.Path)
				}
			}
			for _, file := range r.bareIn(dir) {
				add(file)
			}
		case "schemapatch":
			for _, file := range r.patched(c) {
				add(file)
			}
		case "rbac":
			if file := roleFile(c); r.Exists(path.Join(dir, file)) {
				add(path.Join(dir, file))
			}
		case "webhook":
			if file := path.Join(dir, "manifests.yaml"); r.Exists(file) {
				add(file)
			}
		}
	}
}

// bareIn are the CRDs of the repository's own types in a directory that lack the annotation by which they are known: a script removes it.
func (r *Reader) bareIn(dir string) (files []string) {
	for _, crd := range r.CRDs {
		if crd.Dir == dir && crd.Version == "" && crd.AsMade() && crd.IsOf(r.Kinds) {
			files = append(files, crd.Path)
		}
	}
	return files
}

// patched are the CRDs into which a call puts schemas, and nothing else: the rest of them is written by hand.
func (r *Reader) patched(c *genCall) (files []string) {
	dir, ok := c.OutputDir("schemapatch")
	if !ok || c.SchemaPatch == nil || path.Join(c.Dir, c.SchemaPatch.Manifests) != dir {
		return nil
	}
	for _, crd := range r.CRDs {
		if crd.Dir == dir && crd.IsOf(r.Kinds) {
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
func (r *Reader) readPostProcessed(calls []*genCall, own []repo.Manifest) {
	for _, s := range r.steps.Sequences {
		m := made{byDir: map[string][]string{}, inForm: map[string]bool{}, touched: map[string]bool{}}
		listed := "" // the directory that was last looked through
		for i, step := range s.Steps {
			if _, _, ok := wordsOf(step.Words); ok {
				for _, c := range calls {
					if c.at == step.At() {
						r.madeBy(c, own, &m)
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
			r.after(step, s.Steps[i+1:], &m).record(listed)
		}
	}
}

// madeBy adds the files of a call.
func (r *Reader) madeBy(c *genCall, own []repo.Manifest, to *made) {
	to.calls = append(to.calls, c)
	r.filesOfCall(c, own, to.byDir)
	for _, file := range r.patched(c) {
		to.inForm[file] = true // which it has from who wrote it
	}
	for _, name := range c.Generators() {
		if dir, ok := c.OutputDir(name); ok && to.byDir[dir] == nil {
			to.byDir[dir] = []string{} // what is made there may all be moved away
		}
	}
}

// readForms finds the files that are not as controller-gen writes them though no command was found that changes them: they do not
// begin with its line of dashes, lack its annotation, or have another form where a command formats all YAML.
func (r *Reader) readForms(calls []*genCall, own []repo.Manifest) {
	files := map[string][]string{}
	for _, c := range calls {
		if c.SchemaPatch == nil {
			r.filesOfCall(c, own, files)
		}
	}
	formatters, editors, headers := scriptline.FormatsYAML.Find(r.Texts), scriptline.ChangesAnnotation.Find(r.Texts), scriptline.GivesHeaders.Find(r.Texts)
	r.readHeaders(calls, headers)
	m := made{inForm: map[string]bool{}}
	unbroken, hooks := r.breaksNoLines(calls), r.readHooks()
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		bare := r.bareIn(dir)
		if slices.ContainsFunc(calls, func(c *genCall) bool { return omitsVersion(c, dir) }) {
			bare = nil
		}
		if len(editors) == 0 && slices.ContainsFunc(own, func(m repo.Manifest) bool { return m.Dir == dir && m.Version != "" }) {
			bare = nil // a command would have changed all: a person did, and the next run writes it anew
		}
		for _, file := range files[dir] {
			if by := slices.Concat(formatters, hooks.formatting(file)).Near(file); by.At != "" && path.Ext(file) == ".yaml" && !m.form(r, file) {
				if by.NamesOthers(file, r.Exists) {
					by = r.mentioned(path.Base(file)) // it has that form for another reason
				}
				r.PostProcess(by.On(file))
			}
			if unbroken != "" && r.hasLongLine(file) {
				r.PostProcess(config.PostProcessed{Path: file, By: unbroken, Changes: config.ChangesForm})
			}
			if slices.Contains(bare, file) {
				r.PostProcess(editors.Near(file).On(file))
			}
			if r.templated(file) {
				r.PostProcess(scriptline.Line{}.On(file))
			}
			if path.Ext(file) == ".yaml" && r.Settings.ControllerGen.PostProcessedBy(file) == nil && !r.begins(file) && !r.hasHeader(calls, file) {
				r.changedTop(file, headers)
			}
		}
	}
}

// omitsVersion reports whether a call writes CRDs without the annotation to a directory.
func omitsVersion(c *genCall, dir string) bool {
	if c.CRD == nil || c.CRD.OmitToolVersion == nil || !*c.CRD.OmitToolVersion {
		return false
	}
	to, ok := c.OutputDir("crd")
	return ok && to == dir
}

// marksSince is the first version that gives CRDs its annotation.
const marksSince = "v0.2.2"

// keepUnmarked takes the CRDs of a call of an older version for those that it writes: they lack the annotation, and no command took it out.
func (r *Reader) keepUnmarked(c *genCall, version string) {
	dir, ok := c.OutputDir("crd")
	if !ok || c.CRD == nil || !semver.IsValid(version) || semver.Compare(version, marksSince) >= 0 {
		return
	}
	bare, to := r.bareIn(dir), &r.Settings.ControllerGen
	to.PostProcessed = slices.DeleteFunc(to.PostProcessed, func(p config.PostProcessed) bool {
		return p.By == config.UnknownCommand && slices.Contains(bare, p.Path) && r.begins(p.Path) && r.headed(p.Path)
	})
}

// begins reports whether a manifest begins as controller-gen writes it, or cannot be read.
func (r *Reader) begins(file string) bool {
	top := [4]byte{}
	return !r.top(file, top[:]) || string(top[:]) == "---\n" || string(top[:]) == "\n---" // the second is of before v0.9
}

// changedTop records what changed the beginning of a manifest, as far as that is known.
func (r *Reader) changedTop(file string, headers scriptline.Lines) {
	by := r.mentioned(path.Base(file))
	if by.At == "" && r.placeholder(file) {
		return
	}
	top := [1]byte{}
	if by.At == "" && r.top(file, top[:]) && top[0] == '#' {
		by = headers.Near(file)
	}
	one := by.On(file)
	if by.At == "" && r.headed(file) {
		one.Changes = config.ChangesForm // nothing shows more than that
	}
	r.PostProcess(one)
}

// headed reports whether a manifest is as controller-gen writes it below comments.
func (r *Reader) headed(file string) bool {
	data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(file)), safefs.MaxFile)
	for bytes.HasPrefix(data, []byte("#")) || bytes.HasPrefix(data, []byte("\n")) {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return err == nil && inForm(data)
}

// templated reports whether a manifest is a template of a chart, as no generator writes it, and nothing is known to change it.
func (r *Reader) templated(file string) bool {
	data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(file)), safefs.MaxFile)
	return err == nil && path.Base(path.Dir(file)) == "templates" && bytes.Contains(data, []byte("{{")) && r.Settings.ControllerGen.PostProcessedBy(file) == nil
}

// top reads the beginning of a file.
func (r *Reader) top(file string, into []byte) bool {
	f, err := os.Open(filepath.Join(r.Root, filepath.FromSlash(file)))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	_, err = io.ReadFull(f, into)
	return err == nil
}

// mentioned is the last line of a script that names a file.
func (r *Reader) mentioned(name string) scriptline.Line {
	for _, t := range r.Texts {
		if i := bytes.LastIndex(t.Data, []byte(name)); i >= 0 {
			start, end := 1+bytes.LastIndexByte(t.Data[:i], '\n'), len(t.Data)
			if n := bytes.IndexByte(t.Data[i:], '\n'); n >= 0 {
				end = i + n
			}
			return scriptline.Line{At: repo.At(t.Path, repo.LineOf(t.Data, i)), Words: strings.Fields(string(t.Data[start:end]))}
		}
	}
	return scriptline.Line{}
}

// placeholder reports whether a role is not generated yet.
func (r *Reader) placeholder(file string) bool {
	data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(file)), safefs.MaxFile)
	return err == nil && crdform.PlaceholderRole(data)
}

// changed records that a file, the files of a pattern, or those below a directory are changed, and reports whether any is
// controller-gen's. Where it is not sure that they are, those count that are not in controller-gen's form. A Go file counts where it is
// named itself.
func (r *Reader) changed(m *made, pattern string, by scriptline.Line, sure bool) bool {
	if pattern == "" {
		return false
	}
	any := false
	for dir, files := range m.byDir {
		var hit []string
		for _, file := range files {
			matches, _ := path.Match(pattern, file)
			if code := path.Ext(file) == ".go"; (matches || !code && pattern != "." && text.Below(pattern, file)) && (sure || !code && !m.form(r, file)) {
				hit = append(hit, file)
			}
		}
		if len(files) == 0 && (text.Below(pattern, dir) || text.Below(dir, pattern)) {
			m.touched[dir] = true
		}
		any = any || len(hit) > 0
		if len(hit) > 1 && len(hit) == len(files) {
			hit = []string{dir}
		}
		for _, p := range hit {
			r.PostProcess(by.On(p))
		}
	}
	return any
}

// writable are the names of the files that controller-gen writes.
var writable = lazyregexp.New(`(^|/)([a-z0-9.-]*_[a-z0-9-]*|role|manifests)\.yaml$`)

// form reports whether a manifest is in the form in which controller-gen writes.
func (m *made) form(r *Reader, file string) bool {
	is, ok := m.inForm[file]
	if !ok {
		data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(file)), safefs.MaxFile)
		is = err == nil && inForm(data)
		m.inForm[file] = is
	}
	return is
}

// inForm is [crdform.InForm] for a manifest of one document or more.
func inForm(data []byte) bool {
	rest, is := strings.CutPrefix(string(data), "---\n")
	for doc := range strings.SplitSeq(rest, "\n---\n") {
		is = is && crdform.InForm([]byte("---\n"+strings.TrimSuffix(doc, "\n")+"\n"))
	}
	return is
}
