// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tempdir"
)

// ModuleCopy is a copy of a module in a temporary directory.
type ModuleCopy struct {
	// Module is the directory of the copy.
	Module string
	dir    *tempdir.Dir
}

// Copy copies the module in a directory. Its files are links to those of the original where that is possible: a process that
// writes in the copy must rename new files into place. go.mod and go.sum are copied. An empty name makes an empty module.
func Copy(module string) (*ModuleCopy, error) {
	dir, err := tempdir.NewRun()
	if err != nil {
		return nil, err
	}
	s := &ModuleCopy{dir: dir}
	// The go command tells the directory that it is in by its real path.
	real, err := filepath.EvalSymlinks(dir.Path)
	if err == nil {
		s.Module = filepath.Join(real, "module")
		err = os.Mkdir(s.Module, 0o755)
	}
	if err == nil && module != "" {
		err = s.fill(module)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("copy %s: %w", module, err), dir.Remove())
	}
	return s, nil
}

// Remove removes the copy.
func (s *ModuleCopy) Remove() error { return s.dir.Remove() }

func (s *ModuleCopy) fill(module string) error {
	module, err := filepath.EvalSymlinks(module)
	if err != nil {
		return err
	}
	if err := copyTree(s.Module, module); err != nil {
		return err
	}
	if err := rebase(filepath.Join(s.Module, "go.mod"), module); err != nil {
		return err
	}
	return s.goWork(module)
}

// skipped are directories that the go command does not look into, or that hold what it makes.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "_output"
}

func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == from {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && skipped(d.Name()):
			return fs.SkipDir
		case d.IsDir():
			return os.Mkdir(filepath.Join(to, rel), 0o755)
		case d.Type().IsRegular():
			return put(filepath.Join(to, rel), p, d.Name())
		case d.Type()&fs.ModeSymlink != 0:
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
				return put(filepath.Join(to, rel), p, d.Name())
			}
		}
		return nil
	})
}

// put links a file, or copies it. The go command writes go.mod and go.sum in place, which must not reach the original.
func put(to, from, name string) error {
	if name != "go.mod" && name != "go.sum" && os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// rebase makes the replacements of a go.mod that lead out of its directory absolute.
func rebase(file, was string) error {
	data, err := safefs.ReadFile(file, safefs.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := modfile.Parse(file, data, nil)
	if err != nil {
		return err
	}
	changed := false
	for _, r := range f.Replace {
		if r.New.Version == "" && strings.HasPrefix(r.New.Path, "../") {
			changed = true
			if err := f.AddReplace(r.Old.Path, r.Old.Version, filepath.Join(was, filepath.FromSlash(r.New.Path)), ""); err != nil {
				return err
			}
		}
	}
	if !changed {
		return nil
	}
	out, err := f.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(file, out, 0o644)
}

// goWork gives the copy a go.work like the one that the module is used by.
func (s *ModuleCopy) goWork(module string) error {
	file, used, err := AboveWorkspace(module)
	if err != nil || !used {
		return err
	}
	return CopyGoWork(file, filepath.Dir(s.Module), func(dir string) string {
		if dir == module {
			return s.Module
		}
		return dir
	})
}

// AboveWorkspace is the go.work above a directory, and whether that uses the directory as a module. One that is not a regular file, and
// that the go command would wait for, is an error.
func AboveWorkspace(module string) (file string, used bool, err error) {
	if os.Getenv("GOWORK") == "off" {
		return "", false, nil
	}
	file, data, err := ReadAbove(module, "go.work")
	switch {
	case errors.Is(err, safefs.ErrSpecial) || errors.Is(err, safefs.ErrTooBig):
		return file, false, fmt.Errorf("%w, or set GOWORK=off", err)
	case err != nil:
		return "", false, nil //nolint:nilerr // there is none, or the go command says what is wrong with it
	}
	work, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return file, false, nil //nolint:nilerr // the go command says what is wrong with it
	}
	return file, slices.ContainsFunc(work.Use, func(u *modfile.Use) bool { return below(filepath.Dir(file), u.Path) == module }), nil
}
