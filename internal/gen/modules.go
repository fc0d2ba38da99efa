package gen

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/safefs"
)

// moduleFinder finds the module that a folder is in, and remembers: folder to import path.
type moduleFinder map[string]string

// importPath is the import path of a folder, by the nearest go.mod above it.
func (m moduleFinder) importPath(dir string) (string, error) {
	if known, ok := m[dir]; ok {
		return known, nil
	}
	data, err := safefs.ReadFile(filepath.Join(dir, "go.mod"), safefs.MaxFile)
	switch {
	case err == nil:
		modPath := modfile.ModulePath(data)
		if modPath == "" {
			return "", fmt.Errorf("%s has no module line; add one with \"go mod edit -module PATH\"", filepath.Join(dir, "go.mod"))
		}
		m[dir] = modPath
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	case dir == filepath.Dir(dir):
		return "", errors.New("no go.mod in the project's folder or above it; make one with \"go mod init\"")
	default:
		parent, err := m.importPath(filepath.Dir(dir))
		if err != nil {
			return "", err
		}
		m[dir] = path.Join(parent, filepath.Base(dir))
	}
	return m[dir], nil
}

// loadDir is the folder that packages are loaded from: the root, or where all API folders are in one module below it, the
// folder of that module, unless the root's own module requires it: the go command knows no others below its own.
func loadDir(root string, apis []string) string {
	own := above(root, "go.mod")
	dir := ""
	for _, api := range apis {
		at := above(filepath.Join(root, filepath.FromSlash(api)), "go.mod")
		if at == "" || at == own || dir != "" && dir != at {
			return root
		}
		dir = at
	}
	if dir == "" || own == "" {
		return cmp.Or(dir, root)
	}
	if above(root, "go.work") != "" && os.Getenv("GOWORK") != "off" {
		return dir // a workspace is the same from each of its modules; outside of them there is none
	}
	data, err := safefs.ReadFile(filepath.Join(own, "go.mod"), safefs.MaxFile)
	if err != nil {
		return dir
	}
	file, err := modfile.ParseLax(filepath.Join(own, "go.mod"), data, nil)
	if err != nil {
		return dir
	}
	mod, err := moduleFinder{}.importPath(dir)
	if err == nil && slices.ContainsFunc(file.Require, func(r *modfile.Require) bool { return r.Mod.Path == mod }) {
		return root
	}
	return dir
}

// above is the nearest folder, dir or above it, with a file of that name; "" if there is none.
func above(dir, name string) string {
	for {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
