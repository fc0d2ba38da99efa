package change

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/workspace"
)

// Location is where a project is, or is to be.
type Location struct {
	// Module is the folder of the module, and Folder that of the project in it: "." or for example "controllers/crontab".
	Module string
	Folder string
	// Path is the module's path, empty if there is no module yet.
	Path string
	// Exists tells that the module is there with more in it than "go mod init" makes; its go.mod is the user's.
	Exists bool
	// Seen is what was read of the files that change. What differs from it when all is planned was changed by the user meanwhile.
	Seen *tree.Seen
	// Work is the go.work that does not use the module, and without which the go command would refuse to build it.
	Work string
}

// FindLocation finds the module that the folder root is in. Apart tells that a module above it is not to be used.
func FindLocation(root string, apart bool) (Location, error) {
	seen := &tree.Seen{}
	place := Location{Module: root, Folder: ".", Seen: seen}
	for dir := root; ; dir = filepath.Dir(dir) {
		goMod, err := safefs.ReadFile(filepath.Join(dir, "go.mod"), safefs.MaxFile)
		if err == nil {
			f, err := modfile.ParseLax("go.mod", goMod, nil)
			if err != nil {
				return place, err
			}
			if f.Module == nil {
				return place, fmt.Errorf("%s has no module line; write one, or remove the file", filepath.Join(dir, "go.mod"))
			}
			folder, err := filepath.Rel(dir, root)
			if err != nil {
				return place, err
			}
			_, bare := scaffold.BareModule(goMod)
			place = Location{Seen: seen, Module: dir, Folder: filepath.ToSlash(folder), Path: f.Module.Mod.Path, Exists: dir != root || !bare || hasGo(dir)}
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return place, err
		}
		if apart || dir == filepath.Dir(dir) {
			break
		}
	}
	work, used, err := workspace.AboveWorkspace(place.Module)
	if err == nil && !used {
		place.Work = work
	}
	return place, err
}

func hasGo(dir string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	return err == nil && len(files) > 0
}

// Settings are those of the project, as they are remembered.
func (p Location) Settings() (*config.Project, error) {
	data, err := p.Seen.ReadFile(filepath.Join(p.Root(), config.FileName))
	if err != nil {
		return nil, err
	}
	return config.Parse(config.FileName, data)
}

// Root is the project's folder.
func (p Location) Root() string { return filepath.Join(p.Module, filepath.FromSlash(p.Folder)) }

// Base is the folder that everything to be written is in.
func (p Location) Base() string {
	if p.Work != "" {
		return filepath.Dir(p.Work)
	}
	return p.Module
}

// from is the path of a file in a folder, seen from the base.
func (p Location) from(dir, name string) string {
	rel, err := filepath.Rel(p.Base(), dir)
	if err != nil { // both are absolute
		rel = "."
	}
	return path.Join(filepath.ToSlash(rel), name)
}

// sharedChanges are those of files that the project shares with what else is in its module and its workspace.
func (d *Draft) sharedChanges() ([]tree.Change, error) {
	t := tree.New()
	for name, content := range d.module {
		if err := t.Add(d.place.from(d.place.Module, name), content); err != nil {
			return nil, err
		}
	}
	if d.place.Work != "" {
		content, err := d.place.workspace()
		if err != nil {
			return nil, err
		}
		if err := t.Add(filepath.Base(d.place.Work), content); err != nil {
			return nil, err
		}
	}
	if t.Len() == 0 {
		return nil, nil
	}
	return t.Diff(d.place.Base())
}

// workspace is the go.work with the module among those that it uses.
func (p Location) workspace() ([]byte, error) {
	data, err := p.Seen.ReadFile(p.Work)
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork(p.Work, data, nil)
	if err != nil {
		return nil, err
	}
	if err := work.AddUse("./"+p.from(p.Module, "."), ""); err != nil {
		return nil, err
	}
	work.SortBlocks()
	work.Cleanup()
	return modfile.Format(work.Syntax), nil
}
