// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/crdctl/crdctl/internal/safefs"
)

// ModuleName is what a module is called: the last element of its path that is not a version.
func ModuleName(modulePath string) string {
	prefix, _, _ := module.SplitPathVersion(modulePath)
	return path.Base(prefix)
}

// ImportPaths finds the import paths of directories, and remembers them: directory to import path.
type ImportPaths map[string]string

// Of returns the import path of a directory, by the nearest go.mod above it.
func (m ImportPaths) Of(dir string) (string, error) {
	if known, ok := m[dir]; ok {
		return known, nil
	}
	data, err := safefs.ReadFile(filepath.Join(dir, "go.mod"), safefs.MaxFile)
	switch {
	case err == nil:
		modPath := modfile.ModulePath(data)
		if modPath == "" {
			return "", fmt.Errorf("%s has no module directive; add one with \"go mod edit -module PATH\"", filepath.Join(dir, "go.mod"))
		}
		m[dir] = modPath
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	case dir == filepath.Dir(dir):
		return "", errors.New("no go.mod in the project's directory or any parent directory; create one with \"go mod init\"")
	default:
		parent, err := m.Of(filepath.Dir(dir))
		if err != nil {
			return "", err
		}
		m[dir] = path.Join(parent, filepath.Base(dir))
	}
	return m[dir], nil
}

// Above returns the nearest directory, dir or one above it, with a file of that name; "" if there is none.
func Above(dir, name string) string {
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

// ReadAbove reads the file of a name in dir or in the closest directory above it. The error is fs.ErrNotExist if none has it.
func ReadAbove(dir, name string) (file string, content []byte, err error) {
	if dir = Above(dir, name); dir == "" {
		return "", nil, fs.ErrNotExist
	}
	file = filepath.Join(dir, name)
	content, err = safefs.ReadFile(file, safefs.MaxFile)
	return file, content, err
}

// Required returns the version at which a go.mod requires a module, after replacement by another version, and the line that says so;
// "" if it does not.
func Required(file *modfile.File, module string) (version string, line int) {
	for _, r := range file.Require {
		if r.Mod.Path == module {
			version, line = r.Mod.Version, r.Syntax.Start.Line
		}
	}
	for _, r := range file.Replace {
		if version != "" && r.Old.Path == module && r.New.Version != "" && (r.Old.Version == "" || r.Old.Version == version) {
			version, line = r.New.Version, r.Syntax.Start.Line
		}
	}
	return version, line
}
