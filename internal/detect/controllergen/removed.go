// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/steps"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/workspace"
)

// removed records that a file is deleted that calls write and that does not exist.
func (r *Reader) removed(m *made, file, at string) {
	if writable.MatchString(file) && m.byDir[path.Dir(file)] != nil && !r.Exists(file) {
		r.noteRemoved(file, at)
	}
}

// removedSome records that the files of a pattern are deleted, of which none is there. It is not for all files of a directory.
func (r *Reader) removedSome(m *made, pattern, at string) {
	if i := strings.IndexAny(path.Base(pattern), "*?["); i <= 0 || m.byDir[path.Dir(pattern)] == nil {
		return
	}
	if there, err := workspace.Glob(r.Root, pattern); err == nil && len(there) == 0 {
		r.noteRemoved(pattern, at)
	}
}

func (r *Reader) noteRemoved(file, at string) {
	if removed := &r.Settings.ControllerGen.Removed; !slices.Contains(*removed, file) {
		*removed = append(*removed, file)
		r.Set("controllerGen.removed", at)
	}
}

// removedAll records the directories that are deleted as a whole, with what was made there, and that are not there.
func (r *Reader) removedAll(m *made, dir string) {
	for made := range m.byDir {
		if dir != "" && text.Below(dir, made) && !r.Exists(made) {
			r.removedDirs = append(r.removedDirs, made)
		}
	}
}

// move is a command that moves CRDs by a name or a pattern.
type move struct {
	from, pattern, to string
	files             []string // where they are now
	// asMade is set where no command in between can have changed them.
	asMade bool
}

// all reports whether all CRDs are moved that are still there.
func (m move) all() bool { return m.pattern == "*" || m.pattern == "*.yaml" }

// movedAway records that the CRDs of a directory are deleted where they were made, and returns them: a name or a pattern moves them there. Copies
// that were changed since are no CRDs that are moved.
func (l *later) movedAway(pattern, to string, copied bool) []string {
	by := move{from: path.Dir(pattern), pattern: path.Base(pattern), to: to, asMade: !l.made.touched[path.Dir(pattern)]}
	for _, crd := range l.Manifests {
		file := path.Join(by.from, path.Base(crd.Path))
		if matches, _ := path.Match(pattern, file); matches && crd.Dir == to && l.madeIn(by.from, crd) && (!copied || l.inForm(crd.Path)) {
			l.removed(l.made, file, l.step.At())
			by.files = append(by.files, crd.Path)
		}
	}
	if len(by.files) > 0 {
		l.moves = append(l.moves, by)
	}
	return by.files
}

// madeIn reports whether one of the calls that write to a directory makes a CRD there. Without such a call, something else does.
func (l *later) madeIn(dir string, crd repo.Manifest) bool {
	calls := slices.DeleteFunc(slices.Clone(l.made.calls), func(c *genCall) bool {
		out, _ := c.OutputDir("crd")
		return c.CRD == nil || out != dir
	})
	return len(calls) == 0 || slices.ContainsFunc(calls, func(c *genCall) bool { return l.hasType(c, crd) })
}

// deletedNext reports whether a command that comes after this one deletes a file or the files of a pattern, by that, or by a directory above. One
// before it makes room for what the call writes.
func (l *later) deletedNext(file string) bool {
	return slices.ContainsFunc(l.next, func(step steps.Step) bool {
		return path.Base(step.Words[0]) == "rm" && slices.ContainsFunc(step.Words[1:], func(w string) bool {
			at := steps.Local(step.Dir, w)
			matches, _ := path.Match(at, file)
			return at != "" && (matches || text.Below(at, file))
		})
	})
}

// moveOf is the last command that moves a CRD to where it is.
func (r *Reader) moveOf(crd repo.Manifest) (last move, ok bool) {
	for _, m := range r.moves {
		if slices.Contains(m.files, crd.Path) {
			last, ok = m, true
		}
	}
	return last, ok
}

// bySource are CRDs of a directory in groups, by the directory from which commands move them there, and the call that makes them in that.
func (r *Reader) bySource(calls []*genCall, all []repo.Manifest) (groups [][]repo.Manifest) {
	type source struct {
		from string
		call int
	}
	of := map[source]int{}
	for _, crd := range all {
		by, _ := r.moveOf(crd)
		key := source{by.from, slices.IndexFunc(calls, func(c *genCall) bool {
			out, _ := c.OutputDir("crd")
			return out == by.from && c.CRD != nil && r.hasType(c, crd)
		})}
		i, ok := of[key]
		if !ok {
			i, groups = len(groups), append(groups, nil)
			of[key] = i
		}
		groups[i] = append(groups[i], crd)
	}
	return groups
}

// emptied reports whether all CRDs of a directory are moved.
func (r *Reader) emptied(dir string) bool {
	return slices.ContainsFunc(r.moves, func(m move) bool { return m.from == dir && m.all() })
}

// movedApart records what does not get to where a command moves all that is left: other commands move it elsewhere.
func (r *Reader) movedApart(rest move, at string) {
	for _, m := range r.moves {
		pattern := path.Join(rest.to, m.pattern)
		if there, err := workspace.Glob(r.Root, pattern); m.from == rest.from && m.to != rest.to && !m.all() && err == nil && len(there) == 0 {
			r.noteRemoved(pattern, at)
		}
	}
}
