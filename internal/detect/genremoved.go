// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/workspace"
)

// removed records that a file is deleted that is not there, and that calls write.
func (d *discovery) removed(m *made, file, at string) {
	if writable.MatchString(file) && m.byDir[path.Dir(file)] != nil && !d.Exists(file) {
		d.noteRemoved(file, at)
	}
}

// removedSome records that the files of a pattern are deleted, of which none is there. It is not for all files of a directory.
func (d *discovery) removedSome(m *made, pattern, at string) {
	if i := strings.IndexAny(path.Base(pattern), "*?["); i <= 0 || m.byDir[path.Dir(pattern)] == nil {
		return
	}
	if there, err := workspace.Glob(d.Root, pattern); err == nil && len(there) == 0 {
		d.noteRemoved(pattern, at)
	}
}

func (d *discovery) noteRemoved(file, at string) {
	if removed := &d.found.raw.ControllerGen.Removed; !slices.Contains(*removed, file) {
		*removed = append(*removed, file)
		d.set("controllerGen.removed", at)
	}
}

// removedAll records the directories that are deleted as a whole, with what was made there, and that are not there.
func (d *discovery) removedAll(m *made, dir string) {
	for made := range m.byDir {
		if dir != "" && text.Below(dir, made) && !d.Exists(made) {
			d.removedDirs = append(d.removedDirs, made)
		}
	}
}

// movedAway records that the CRDs of a directory are deleted where they were made: a pattern moves them there.
func (d *discovery) movedAway(m *made, pattern, to, at string) {
	if !strings.ContainsAny(pattern, "*?[") {
		return
	}
	for _, crd := range d.Manifests {
		file := path.Join(path.Dir(pattern), path.Base(crd.Path))
		if matches, _ := path.Match(pattern, file); matches && crd.Dir == to {
			d.movedFrom[to] = path.Dir(pattern)
			d.removed(m, file, at)
		}
	}
}
