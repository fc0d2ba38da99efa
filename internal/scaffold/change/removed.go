// SPDX-License-Identifier: Apache-2.0

package change

import (
	"io/fs"
	"path"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/tree"
)

// keepImported counts types and samples that were made from a CRD as edited, when they are to go: nothing tells what they were.
func (p *Plan) keepImported() {
	if p.before.Project == nil {
		return
	}
	for _, a := range p.before.Project.APIs {
		if !a.Imported || p.after.Project.Find(a.Group, a.Version, a.Kind) != nil {
			continue
		}
		for _, file := range []string{path.Join(p.before.Project.VersionOf(a).Dir, a.TypesFile+".go"), path.Join("config/samples", a.Sample+".yaml")} {
			if _, err := p.location.Seen.ReadFile(filepath.Join(p.location.Root(), filepath.FromSlash(file))); err == nil {
				p.Edited = append(p.Edited, file)
			}
		}
	}
}

// removeUnneeded removes the files that only removed APIs needed: those that crdctl owns, and CRDs, which are otherwise taken
// as another's once no API is of their group.
func (p *Plan) removeUnneeded(wiring *tree.Tree) error {
	if p.before.Project == nil {
		return nil
	}
	disk := p.location.Seen.FS(p.location.Root())
	was, err := p.before.Project.Wiring(p.before.Templates)
	if err != nil {
		return err
	}
	for _, name := range was.Paths() {
		data, err := fs.ReadFile(disk, name)
		if _, stays := wiring.Content(name); err == nil && !stays && scaffold.Owns(data) {
			p.Tree.Remove(name)
		}
	}
	settings, err := p.location.Settings()
	if err != nil {
		return err
	}
	for _, a := range p.before.Project.APIs {
		if settings.CRDs.Dir == "" || len(p.after.Project.Kinds(a.Group, a.Kind)) > 0 {
			continue
		}
		file := a.Group + "_" + a.Plural + ".yaml"
		if data, err := fs.ReadFile(disk, path.Join(settings.CRDs.Dir, file)); err == nil && crdform.Owns(file, data, []string{a.Group}) {
			p.Tree.Remove(path.Join(settings.CRDs.Dir, file))
		}
	}
	return nil
}
