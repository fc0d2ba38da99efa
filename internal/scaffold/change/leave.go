package change

import (
	"io/fs"
	"path"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/tree"
)

// leaveImported counts types and samples that were made from a CRD as edited, when they are to go: nothing tells what they were.
func (d *Draft) leaveImported() {
	if d.before.Project == nil {
		return
	}
	for _, a := range d.before.Project.APIs {
		if !a.Imported || d.after.Project.Find(a.Group, a.Version, a.Kind) != nil {
			continue
		}
		for _, file := range []string{path.Join(d.before.Project.VersionOf(a).Dir, a.TypesFile+".go"), path.Join("config/samples", a.SampleFile+".yaml")} {
			if _, err := d.place.Seen.ReadFile(filepath.Join(d.place.Root(), filepath.FromSlash(file))); err == nil {
				d.Edited = append(d.Edited, file)
			}
		}
	}
}

// leave has the files go that only APIs needed which are gone: those that crdctl owns, and CRDs, which are otherwise taken
// for somebody else's once no API is of their group.
func (d *Draft) leave(wiring *tree.Tree) error {
	if d.before.Project == nil {
		return nil
	}
	disk := d.place.Seen.FS(d.place.Root())
	was, err := d.before.Project.Wiring(d.before.Templates)
	if err != nil {
		return err
	}
	for _, name := range was.Paths() {
		data, err := fs.ReadFile(disk, name)
		if _, stays := wiring.Content(name); err == nil && !stays && scaffold.Owns(data) {
			d.Tree.Remove(name)
		}
	}
	settings, err := d.place.Settings()
	if err != nil {
		return err
	}
	for _, a := range d.before.Project.APIs {
		if settings.CRDs.Dir == "" || len(d.after.Project.Kinds(a.Group, a.Kind)) > 0 {
			continue
		}
		file := a.Group + "_" + a.Plural + ".yaml"
		if data, err := fs.ReadFile(disk, path.Join(settings.CRDs.Dir, file)); err == nil && crdform.Owns(file, data, []string{a.Group}) {
			d.Tree.Remove(path.Join(settings.CRDs.Dir, file))
		}
	}
	return nil
}
