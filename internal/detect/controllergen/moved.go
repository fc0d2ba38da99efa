// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/scriptline"
	"github.com/crdctl/crdctl/internal/detect/steps"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// leaveMoved takes crd out of the calls that write to a directory without any of the CRDs that they make, where such CRDs are elsewhere or
// by other names: a command moves or renames them afterwards.
func (r *Reader) leaveMoved(calls []*genCall, own []repo.Manifest) {
	for _, c := range calls {
		dir, _ := c.OutputDir("crd")
		if !r.writesElsewhere(c, own) {
			continue
		}
		moved, version := r.elsewhere(calls, c)
		if len(moved) == 0 && !r.IsDir(dir) {
			moved = r.writtenByHand(calls, c)
		}
		if r.staysIn(dir, moved) || r.hasOthers(c, moved) {
			r.copies = append(r.copies, moved...)
			continue
		}
		if len(moved) > 0 || r.inferredElsewhere(calls, c, dir) {
			Drop(&c.ControllerGenCall, "crd")
		}
		moved = slices.DeleteFunc(moved, r.Listed) // of an earlier call
		if len(moved) > 0 {
			slices.Sort(moved)
			missing := "does not exist, so a command moves or renames the files afterwards, or the path is an old one"
			switch {
			case path.IsAbs(dir):
				missing = "is outside of the repository, so a command copies the files afterwards"
			case r.Git.Ignores(dir):
				missing = "is ignored by git, so a command copies the files afterwards"
			}
			r.List("crd", Name+" "+version, slices.Compact(moved), path.Join(dir, "GROUP_PLURAL.yaml")+", which the call at "+c.at+" writes, "+missing)
		}
	}
}

// inferredElsewhere reports whether inferred calls make CRDs that a call makes, in other directories, and none of them belongs in its own, from
// which nothing was deleted that git has.
func (r *Reader) inferredElsewhere(calls []*genCall, c *genCall, dir string) bool {
	var files []string
	for _, m := range r.Manifests {
		if m.Version != "" && r.hasType(c, m) && slices.ContainsFunc(calls, func(other *genCall) bool {
			return other.Inferred != "" && r.madeByCall([]*genCall{other}, m)
		}) {
			files = append(files, m.Path)
		}
	}
	return len(files) > 0 && !r.Git.Deleted(dir) && !r.staysIn(dir, files) && !r.hasOthers(c, files)
}

// staysIn reports whether a CRD that is in one of some files belongs in a directory, too: git has it there, a kustomization names it there, or a
// command or kubebuilder copies it from there, and none takes it away. A directory that is next to nothing here may be for a moment.
func (r *Reader) staysIn(dir string, files []string) bool {
	return filepath.IsLocal(dir) && slices.ContainsFunc(r.CRDs, func(m repo.Manifest) bool {
		name := m.UsualName()
		file := path.Join(dir, name)
		switch {
		case !slices.Contains(files, m.Path):
			return false
		case r.Git.Deleted(file):
			return true
		case r.Git.Ignores(file) || r.takenFrom(dir, name):
			return false
		}
		return r.scaffolded(m) || r.kustomized(dir, name) || r.kustomized(path.Dir(dir), path.Join(path.Base(dir), name)) || path.Dir(dir) != "." && r.IsDir(path.Dir(dir)) && r.copiedFrom(file, m)
	})
}

// hasOthers reports whether the directory that a call writes to has CRDs of other types as controller-gen makes them, and one that is in some files
// belongs there, too: no command takes it from there, and git does not ignore it.
func (r *Reader) hasOthers(c *genCall, files []string) bool {
	dir, _ := c.OutputDir("crd")
	return slices.ContainsFunc(r.Manifests, func(m repo.Manifest) bool { return m.Dir == dir && m.AsMade() && !r.hasType(c, m) }) &&
		slices.ContainsFunc(r.Manifests, func(m repo.Manifest) bool {
			return slices.Contains(files, m.Path) && !r.takenFrom(dir, m.UsualName()) && !r.Git.Ignores(path.Join(dir, m.UsualName()))
		})
}

// scaffolded reports whether a CRD is in the chart that kubebuilder's plugin for Helm writes, which copies it there.
func (r *Reader) scaffolded(m repo.Manifest) bool {
	project, isChart := strings.CutSuffix(m.Dir, "dist/chart/templates/crd")
	data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(project), "PROJECT"), safefs.MaxFile)
	return isChart && err == nil && bytes.Contains(data, []byte("helm.kubebuilder.io/"))
}

// kustomized reports whether the kustomization of a directory names a file.
func (r *Reader) kustomized(dir, file string) bool {
	data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(dir), "kustomization.yaml"), safefs.MaxFile)
	return err == nil && bytes.Contains(data, []byte("- "+file+"\n"))
}

// copiedFrom reports whether a command copies a file, by its name or a pattern, to where a CRD is.
func (r *Reader) copiedFrom(file string, m repo.Manifest) bool {
	return slices.ContainsFunc(r.steps.Sequences, func(s steps.Sequence) bool {
		return slices.ContainsFunc(s.Steps, func(step steps.Step) bool {
			words := step.Words
			if path.Base(words[0]) != "cp" || len(words) < 3 {
				return false
			}
			to := steps.Local(step.Dir, words[len(words)-1])
			return (to == m.Path || to == m.Dir && path.Base(m.Path) == path.Base(file)) && slices.ContainsFunc(words[1:len(words)-1], func(w string) bool {
				matches, _ := path.Match(steps.Local(step.Dir, w), file)
				return matches
			})
		})
	})
}

// takenFrom reports whether a command moves or deletes a directory, or a file in it, by its name or a pattern, also at the end of a script.
func (r *Reader) takenFrom(dir, file string) bool {
	return slices.ContainsFunc(r.steps.Sequences, func(s steps.Sequence) bool {
		return slices.ContainsFunc(s.Steps, func(step steps.Step) bool {
			words := step.Words
			if words[0] == "trap" && len(words) > 1 {
				words = strings.Fields(words[1])
			}
			if len(words) > 0 && path.Base(words[0]) == "mv" {
				words = words[:len(words)-1] // the rest is where it goes
			}
			takes := func(w string) bool { return path.Base(w) == "mv" || path.Base(w) == "rm" || w == "-delete" }
			return slices.ContainsFunc(words, takes) && slices.ContainsFunc(words[1:], func(w string) bool {
				at := steps.Local(step.Dir, w)
				matches, err := path.Match(path.Base(at), file)
				return at != "" && (text.Below(at, dir) || text.Below(dir, at) && (matches || err != nil || path.Dir(at) != dir || strings.Contains(at, "$")))
			})
		})
	})
}

// writesElsewhere reports whether a call writes CRDs to a directory without any of them.
func (r *Reader) writesElsewhere(c *genCall, own []repo.Manifest) bool {
	dir, ok := c.OutputDir("crd")
	return c.CRD != nil && (path.IsAbs(dir) || ok && !slices.ContainsFunc(own, func(m repo.Manifest) bool { return m.Dir == dir }) && len(r.bareIn(dir)) == 0)
}

// elsewhere are the CRDs of the types of a call, wherever they are, that no other call makes, and the version of the last.
func (r *Reader) elsewhere(calls []*genCall, c *genCall) (files []string, version string) {
	for _, m := range r.Manifests {
		if m.Version == "" || madeElsewhere(calls, c, m) {
			continue
		}
		if r.hasType(c, m) {
			files, version = append(files, m.Path), m.Version
		}
	}
	return files, version
}

// writtenByHand are the CRDs of the types of a call that a person wrote, wherever they are.
func (r *Reader) writtenByHand(calls []*genCall, c *genCall) (files []string) {
	for _, m := range r.CRDs {
		patched := func(c *genCall) bool { return slices.Contains(r.patched(c), m.Path) }
		if m.Version == "" && !m.Patch && r.hasType(c, m) && !madeElsewhere(calls, c, m) && !slices.ContainsFunc(calls, patched) {
			files = append(files, m.Path)
		}
	}
	return files
}

// hasType reports whether the paths of a call have the type of a CRD.
func (r *Reader) hasType(c *genCall, m repo.Manifest) bool {
	_, group, _ := strings.Cut(m.Name, ".")
	for at, kinds := range r.Kinds[group] {
		if covers(c, r.Modules, at) && (m.Kind == "" || len(kinds) == 0 || slices.Contains(kinds, m.Kind)) {
			return true
		}
	}
	return false
}

// madeElsewhere reports whether a CRD is in the directory that another call writes to.
func madeElsewhere(calls []*genCall, but *genCall, m repo.Manifest) bool {
	return slices.ContainsFunc(calls, func(c *genCall) bool {
		dir, ok := c.OutputDir("crd")
		return c != but && c.CRD != nil && ok && dir == m.Dir && m.AsMade()
	})
}

// leaveMovedAway lists the roles and webhooks that commands move from where calls make them, by any name.
func (r *Reader) leaveMovedAway(made func(file string) bool) {
	for _, s := range r.steps.Sequences {
		for _, step := range s.Steps {
			if path.Base(step.Words[0]) != "mv" || len(step.Words) != 3 {
				continue
			}
			from, to := steps.Local(step.Dir, step.Words[1]), steps.Local(step.Dir, step.Words[2])
			if r.IsDir(to) {
				to = path.Join(to, path.Base(from))
			}
			if !made(from) || r.Exists(from) || !r.Exists(to) || made(to) || r.Listed(to) {
				continue
			}
			kind := "rbac"
			if path.Base(from) == "manifests.yaml" {
				kind = "webhook"
			}
			r.List(kind, Name, []string{to}, step.At()+writesFromOutput)
		}
	}
}

// leaveCopied lists the CRDs of kinds that no type here has, in directories that calls write CRDs to and commands copy files to: they are of
// another repository, and not left over.
func (r *Reader) leaveCopied(calls []*genCall) {
	by := map[string]string{} // the command, by directory
	for _, c := range calls {
		if dir, ok := c.OutputDir("crd"); ok && c.CRD != nil && dir != "." && by[dir] == "" {
			by[dir] = r.copiesInto(dir)
		}
	}
	files := map[string][]string{}
	for _, m := range r.Manifests {
		_, group, _ := strings.Cut(m.Name, ".")
		declared := len(r.Kinds[group]) == 0 // of a foreign group, which no package here has
		for _, kinds := range r.Kinds[group] {
			declared = declared || slices.Contains(kinds, m.Kind)
		}
		if by[m.Dir] != "" && m.Kind != "" && !declared {
			files[m.Dir] = append(files[m.Dir], m.Path)
			r.PostProcess(config.PostProcessed{Path: m.Path, By: by[m.Dir]})
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		r.List("crd", Name, files[dir], "no type here has the kind, and files are copied to "+dir+": "+by[dir])
	}
}

// betweenCommands separates the commands of a line.
var betweenCommands = lazyregexp.New(`&&|\|\||[;|]`)

// copiesInto is the first command that copies files into a directory, with its place, or "".
func (r *Reader) copiesInto(dir string) string {
	for _, t := range r.Texts {
		n := 0
		for line := range strings.Lines(string(t.Data)) {
			if n++; !strings.Contains(line, dir) {
				continue
			}
			for _, command := range betweenCommands.Split(strings.TrimRight(line, "\\\r\n \t"), -1) {
				words := strings.Fields(command)
				for len(words) > 0 && (words[0] == "do" || words[0] == "then" || strings.TrimLeft(words[0], "@-") == "") {
					words = words[1:]
				}
				if len(words) > 2 && strings.TrimLeft(words[0], "@-") == "cp" && strings.Contains("/"+words[len(words)-1]+"/", "/"+dir+"/") {
					return repo.At(t.Path, n) + ": " + scriptline.Short(words)
				}
			}
		}
	}
	return ""
}
