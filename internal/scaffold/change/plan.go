// SPDX-License-Identifier: Apache-2.0

// Package change creates and changes scaffolded projects: a new project, one kind more or less, newer templates. It renders both
// sides (plan.go), decides what happens to each file and merges the user's edits (files.go), tries the result in a copy of the
// module and generates its code there (try.go), and writes all changes in one go or not at all (apply.go).
//
// It is not the renderer (package scaffold) or the merge of one file (package merge), and it does not print.
package change

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/tree"
)

// Render is one side of a change: a project, and the templates that render it.
type Render struct {
	Project   *scaffold.Project
	Templates fs.FS
	// Files are further ones of the user's, or others than the templates have, by their paths: types that were made from a
	// CRD, a header.
	Files map[string][]byte
}

// Plan is what becomes of the files of a project. Lists of paths are sorted.
type Plan struct {
	// Tree has the files that change, and those that are removed.
	Tree *tree.Tree
	// Merged are files of the user's in which lines change.
	Merged []string
	// Conflicts are files in which the user and the templates changed the same lines, with the number of such places.
	Conflicts map[string]int
	// InTheWay are paths of new files at which other files exist.
	InTheWay []string
	// Edited are files that would be removed if the user had not changed them.
	Edited []string
	// Gone are files that would change, but that the user removed.
	Gone []string
	// Generated are files that would be overwritten by generated ones where a project comes into being, and LeftOver those that
	// nothing asks for. Such a project owns nothing yet: neither is for it to touch.
	Generated, LeftOver []string
	// Notes are what the generators reported without failing.
	Notes []string

	location      Location
	before, after Render
	// module are go.mod and go.sum as they are to be, where the module is the user's.
	module map[string][]byte
	wiring *tree.Tree
}

// New compares both sides with what is on disk. A before without a project renders nothing.
func New(location Location, before, after Render) (*Plan, error) {
	was, err := before.render()
	if err != nil {
		return nil, err
	}
	is, err := after.render()
	if err != nil {
		return nil, err
	}
	p := &Plan{Tree: tree.New(), Conflicts: map[string]int{}, location: location, before: before, after: after, module: map[string][]byte{}}
	if location.Exists {
		if err := p.mergeModule(was, is); err != nil {
			return nil, err
		}
		was, is = without(was, moduleFiles), without(is, moduleFiles)
	} else if before.Project == nil {
		// What "go mod init" wrote may be replaced.
		if goMod, err := location.Seen.ReadFile(filepath.Join(location.Root(), "go.mod")); err == nil {
			if _, bare := scaffold.BareModule(goMod); bare {
				if err := was.Put("go.mod", goMod); err != nil {
					return nil, err
				}
			}
		}
	}
	if before.Project != nil {
		disk := location.Seen.FS(location.Root())
		old, marked := after.Project.MarkStored(before.Project, func(file string) ([]byte, error) { return fs.ReadFile(disk, file) })
		for file := range marked {
			if err := errors.Join(was.Put(file, old[file]), is.Put(file, marked[file])); err != nil {
				return nil, err
			}
		}
	}
	if err := p.addFiles(settingsFS{location.Seen.FS(location.Root())}, was, is); err != nil {
		return nil, err
	}
	p.keepImported()
	return p, nil
}

func (r Render) render() (*tree.Tree, error) {
	if r.Project == nil {
		return tree.New(), nil
	}
	files, err := r.Project.Render(r.Templates)
	if err != nil {
		return nil, err
	}
	for name, content := range r.Files {
		if err := files.Put(name, content); err != nil {
			return nil, err
		}
	}
	return without(files, r.Project.Without), nil
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

// settingsFS is a project's directory as its templates know it: without what crdctl itself writes into crdctl.yaml.
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
func (p *Plan) Overwrite() error {
	files, err := p.after.render()
	if err != nil {
		return err
	}
	for _, name := range p.InTheWay {
		content, _ := files.Content(name)
		if err := p.Tree.Put(name, content); err != nil {
			return err
		}
	}
	p.InTheWay = nil
	return nil
}

// RemoveEdited has the files go that the user changed and the scaffold has no more.
func (p *Plan) RemoveEdited() {
	for _, name := range p.Edited {
		p.Tree.Remove(name)
	}
	p.Edited = nil
}
