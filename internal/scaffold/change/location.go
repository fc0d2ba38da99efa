// SPDX-License-Identifier: Apache-2.0

package change

import (
	"errors"
	"fmt"
	goversion "go/version"
	"io/fs"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/workspace"
)

// Location is where a project is, or is to be.
type Location struct {
	// Module is the directory of the module, and Directory that of the project in it: "." or for example "controllers/crontab".
	Module string
	Dir    string
	// Path is the module's path, empty if there is no module yet.
	Path string
	// Exists tells that the module is there with more in it than "go mod init" makes; its go.mod is the user's.
	Exists bool
	// Seen is what was read of the files that change. What differs from it when all is planned was changed by the user meanwhile.
	Seen *tree.Seen
	// Work is the go.work that does not use the module, and without which the go command would refuse to build it.
	Work string
}

// FindLocation finds the module that the directory root is in. With apart, a module above root does not count.
func FindLocation(root string, apart bool) (Location, error) {
	l := Location{Module: root, Dir: ".", Seen: &tree.Seen{}}
	file, goMod, err := workspace.ReadAbove(root, "go.mod")
	switch dir := filepath.Dir(file); {
	case errors.Is(err, fs.ErrNotExist), apart && dir != root:
	case err != nil:
		return l, err
	default:
		f, err := modfile.ParseLax("go.mod", goMod, nil)
		if err != nil {
			return l, err
		}
		if f.Module == nil {
			return l, fmt.Errorf("%s has no module directive; add one, or remove the file", file)
		}
		rel, err := filepath.Rel(dir, root)
		if err != nil {
			return l, err
		}
		_, bare := scaffold.BareModule(goMod)
		l.Module, l.Dir, l.Path, l.Exists = dir, filepath.ToSlash(rel), f.Module.Mod.Path, dir != root || !bare || hasGo(dir)
	}
	work, used, err := workspace.AboveWorkspace(l.Module)
	if err == nil && !used {
		l.Work = work
	}
	return l, err
}

func hasGo(dir string) bool {
	files, err := workspace.Glob(dir, "*.go")
	return err == nil && len(files) > 0
}

// Settings are those of the project, as they are remembered.
func (l Location) Settings() (*config.Project, error) {
	data, err := l.Seen.ReadFile(filepath.Join(l.Root(), config.FileName))
	if err != nil {
		return nil, err
	}
	return config.Parse(config.FileName, data)
}

// Root is the project's directory.
func (l Location) Root() string { return filepath.Join(l.Module, filepath.FromSlash(l.Dir)) }

// Base is the directory that everything to be written is in.
func (l Location) Base() string {
	if l.Work != "" {
		return filepath.Dir(l.Work)
	}
	return l.Module
}

// from is the path of a file in a directory, seen from the base.
func (l Location) from(dir, name string) string {
	rel, err := filepath.Rel(l.Base(), dir)
	if err != nil { // both are absolute
		rel = "."
	}
	return path.Join(filepath.ToSlash(rel), name)
}

// sharedChanges are those of files that the project shares with what else is in its module and its workspace.
func (p *Plan) sharedChanges() ([]tree.Change, error) {
	t := tree.New()
	for name, content := range p.module {
		if err := t.Add(p.location.from(p.location.Module, name), content); err != nil {
			return nil, err
		}
	}
	if p.location.Work != "" {
		goMod := p.module["go.mod"]
		if goMod == nil && p.Tree != nil {
			goMod, _ = p.Tree.Content("go.mod")
		}
		content, err := p.location.workspace(goMod)
		if err != nil {
			return nil, err
		}
		if err := t.Add(filepath.Base(p.location.Work), content); err != nil {
			return nil, err
		}
	}
	if t.Len() == 0 {
		return nil, nil
	}
	return t.Diff(p.location.Base())
}

// workspace is the go.work with the module among those that it uses, and at least the version of Go in the module's go.mod: the go
// command builds nothing in a workspace with less.
func (l Location) workspace(goMod []byte) ([]byte, error) {
	data, err := l.Seen.ReadFile(l.Work)
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork(l.Work, data, nil)
	if err != nil {
		return nil, err
	}
	if err := work.AddUse("./"+l.from(l.Module, "."), ""); err != nil {
		return nil, err
	}
	if mod, err := modfile.ParseLax("go.mod", goMod, nil); err == nil && mod.Go != nil && (work.Go == nil || goversion.Compare("go"+work.Go.Version, "go"+mod.Go.Version) < 0) {
		if err := work.AddGoStmt(mod.Go.Version); err != nil {
			return nil, err
		}
	}
	work.SortBlocks()
	work.Cleanup()
	return modfile.Format(work.Syntax), nil
}
