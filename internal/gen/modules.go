package gen

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// moduleFinder finds the module that a folder is in, and remembers: folder to import path.
type moduleFinder map[string]string

// importPath is the import path of a folder, by the nearest go.mod above it.
func (m moduleFinder) importPath(dir string) (string, error) {
	if known, ok := m[dir]; ok {
		return known, nil
	}
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
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
// folder of that module, since the go command knows no packages of modules below its own.
func loadDir(root string, apis []string) string {
	dir := ""
	for _, api := range apis {
		at := filepath.Join(root, filepath.FromSlash(api))
		for at != root {
			if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
				break
			}
			if at == filepath.Dir(at) {
				return root
			}
			at = filepath.Dir(at)
		}
		if dir != "" && dir != at {
			return root
		}
		dir = at
	}
	return cmp.Or(dir, root)
}
