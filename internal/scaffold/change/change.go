// Package change carries a project from one shape to another: into being, to a kind more or less, to newer templates. It
// has the files rendered, brings them together with what the user made of them, tries the result in a copy of the module,
// generates its code there, and hands out all changes, to be written in one go or not at all.
//
// It does not write into the project, and does not print.
package change

import (
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/scaffold/change/reshape"
	"github.com/crdctl/crdctl/internal/tree"
)

// Shape is one side of a change: a project, and the templates that render it.
type Shape struct {
	Project   *scaffold.Project
	Templates fs.FS
	// Files are further ones of the user's, or others than the templates have, by their paths: types that were made from a
	// CRD, a header.
	Files map[string][]byte
}

// Draft is a change of the user's files, before anything is generated for it.
type Draft struct {
	*reshape.Plan
	place         Location
	before, after Shape
	// module are go.mod and go.sum as they are to be, where the module is the user's.
	module map[string][]byte
	// Generated are files that would be overwritten by generated ones where a project comes into being, and LeftOver those that
	// nothing asks for. Such a project owns nothing yet: neither is for it to touch.
	Generated, LeftOver []string
	// Notes are what the generators reported without failing.
	Notes []string

	wiring *tree.Tree
}

// New compares two shapes with what is on disk. A before without a project is nothing at all.
func New(place Location, before, after Shape) (*Draft, error) {
	was, err := before.render()
	if err != nil {
		return nil, err
	}
	is, err := after.render()
	if err != nil {
		return nil, err
	}
	d := &Draft{place: place, before: before, after: after, module: map[string][]byte{}}
	if place.Exists {
		if err := d.mergeModule(was, is); err != nil {
			return nil, err
		}
		was, is = without(was, moduleFiles), without(is, moduleFiles)
	} else if before.Project == nil {
		// What "go mod init" wrote is no loss.
		if goMod, err := place.Seen.ReadFile(filepath.Join(place.Root(), "go.mod")); err == nil {
			if _, bare := scaffold.BareModule(goMod); bare {
				if err := was.Put("go.mod", goMod); err != nil {
					return nil, err
				}
			}
		}
	}
	if d.Plan, err = reshape.New(settingsFS{place.Seen.FS(place.Root())}, was, is); err != nil {
		return nil, err
	}
	d.leaveImported()
	return d, nil
}

func (s Shape) render() (*tree.Tree, error) {
	if s.Project == nil {
		return tree.New(), nil
	}
	files, err := s.Project.Render(s.Templates)
	if err != nil {
		return nil, err
	}
	for name, content := range s.Files {
		if err := files.Put(name, content); err != nil {
			return nil, err
		}
	}
	return without(files, s.Project.Without), nil
}

func without(t *tree.Tree, names []string) *tree.Tree {
	rest := tree.New()
	for _, name := range t.Paths() {
		if !slices.Contains(names, name) {
			content, _ := t.Content(name)
			_ = rest.Put(name, content) // it was in a tree already
		}
	}
	return rest
}

// settingsFS is a project's folder as its templates know it: without what crdctl itself writes into crdctl.yaml.
type settingsFS struct{ fs.FS }

// ReadFile implements [fs.ReadFileFS].
func (s settingsFS) ReadFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(s.FS, name)
	if err != nil || name != config.FileName {
		return data, err
	}
	return config.CutScaffold(data)
}

// Overwrite has the files that are in the way written over.
func (d *Draft) Overwrite() error {
	files, err := d.after.render()
	if err != nil {
		return err
	}
	for _, name := range d.InTheWay {
		content, _ := files.Content(name)
		if err := d.Tree.Put(name, content); err != nil {
			return err
		}
	}
	d.InTheWay = nil
	return nil
}

// RemoveEdited has the files go that the user changed and the scaffold has no more.
func (d *Draft) RemoveEdited() {
	for _, name := range d.Edited {
		d.Tree.Remove(name)
	}
	d.Edited = nil
}
