// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/steps"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/tree"
)

// listDerived lists the CRDs of the repository's own types that no call makes as they are: a script or a program of its own writes them
// from what controller-gen makes.
func (r *Reader) listDerived(calls []*genCall, own []repo.Manifest) {
	known := map[string]bool{} // the names of those that are made, or listed already
	for _, m := range own {
		known[m.Name] = r.madeByCall(calls, m) || r.Listed(m.Path) || known[m.Name]
	}
	byWriter := map[string][]repo.Manifest{}
	for _, m := range r.CRDs {
		patched := func(c *genCall) bool { return slices.Contains(r.patched(c), m.Path) }
		if !m.IsOf(r.Kinds) || known[m.Name] || slices.Contains(r.copies, m.Path) || slices.ContainsFunc(calls, patched) || r.Listed(m.Path) || m.AsMade() && r.madeByCall(calls, m) || path.Clean(r.Settings.CRDs.Dir) == m.Dir {
			continue
		}
		if at := cmp.Or(r.movedTo(m.Path), r.writerOf(m.Path)); at != "" {
			byWriter[at] = append(byWriter[at], m)
		}
	}
	for at, all := range byWriter {
		var paths []string
		for _, m := range all {
			paths = append(paths, m.Path)
		}
		version, _ := annotated(all)
		r.List("crd", Name+" "+version, paths, at+writesFromOutput)
	}
	slices.SortFunc(r.NotCompared, func(a, b tree.NotCompared) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Paths[0], b.Paths[0]))
	})
}

// writesFromOutput says after a place why a file is not compared.
const writesFromOutput = " writes this from the output of controller-gen; crdctl runs no scripts or programs of the project"

// movedTo is the place of a command that moves or copies a file to a path, "" if there is none.
func (r *Reader) movedTo(file string) string {
	return r.movedAs(file, func(word string) bool { return word == path.Base(file) })
}

// movedAs is the place of a command that moves or copies a file to a path, or to its directory under a name that is one; "" if there is none.
func (r *Reader) movedAs(file string, named func(word string) bool) string {
	for _, s := range r.steps.Sequences {
		for _, step := range s.Steps {
			if name := path.Base(step.Words[0]); len(step.Words) < 3 || name != "mv" && name != "cp" {
				continue
			}
			to := steps.Local(step.Dir, step.Words[len(step.Words)-1])
			if to == file || to == path.Dir(file) && slices.ContainsFunc(step.Words[1:], func(w string) bool { return named(path.Base(w)) }) {
				return step.At()
			}
		}
	}
	return ""
}

// movedAsMade reports whether a command moves a file to a path under the name that it has.
func (r *Reader) movedAsMade(file string) bool {
	return slices.ContainsFunc(r.steps.Sequences, func(s steps.Sequence) bool {
		return slices.ContainsFunc(s.Steps, func(step steps.Step) bool {
			n := len(step.Words) - 1
			if n < 2 || path.Base(step.Words[0]) != "mv" {
				return false
			}
			to := steps.Local(step.Dir, step.Words[n])
			return (to == file || to == path.Dir(file)) && slices.ContainsFunc(step.Words[1:n], func(w string) bool { return path.Base(w) == path.Base(file) })
		})
	})
}

// programs are the words by which a program of the repository's own runs controller-gen, or has it linked in.
var programs = [][]byte{[]byte(`"controller-gen"`), []byte(`"` + controllerTools + `/`)}

// yamlNames are the names of YAML files in a Go file, and verb what fmt puts a value for.
var (
	yamlNames = lazyregexp.New(`"([^"\n]*\.ya?ml)"`)
	verb      = lazyregexp.New(`%[sdvq]`)
)

// writerOf is the place in a script or program that runs controller-gen where it names a file.
func (r *Reader) writerOf(file string) string {
	for _, f := range r.Files {
		if !f.Main || !slices.ContainsFunc(programs, func(word []byte) bool { return bytes.Contains(f.Data, word) }) {
			continue
		}
		for _, m := range yamlNames.FindAllSubmatchIndex(f.Data, -1) {
			pattern := path.Clean(verb.ReplaceAllString(string(f.Data[m[2]:m[3]]), "*"))
			if ok, _ := path.Match(pattern, file); ok && pattern != "*.yaml" {
				return repo.At(f.Path, f.Line(m[0]))
			}
		}
	}
	name := []byte(path.Join(path.Base(path.Dir(file)), path.Base(file)))
	for _, t := range r.Texts {
		if !bytes.Contains(t.Data, name) {
			continue
		}
		data := commentLine.ReplaceAll(t.Data, nil)
		if i := bytes.Index(data, name); i >= 0 && wanted(string(data)) {
			return repo.At(t.Path, repo.LineOf(data, i))
		}
	}
	return ""
}
