// SPDX-License-Identifier: Apache-2.0

// Package workspace finds the go.mod and go.work of a directory and its import path, looks at the files of modules and workspaces
// before a go command does, copies a go.work for go commands that must not change it, and copies a module in which a command tries
// what it is about to do.
//
// It runs no go command.
package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/safefs"
)

// CopyGoWork writes the go.work of that name and its sums into the directory to. All paths in the copy are absolute. moved, if not
// nil, returns where the module of a directory is for the copy.
func CopyGoWork(file, to string, moved func(dir string) string) error {
	data, err := safefs.ReadFile(file, safefs.MaxFile)
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return err
	}
	absolute := func(p string) string { return below(filepath.Dir(file), p) }
	for _, u := range work.Use {
		from, dir := u.Path, absolute(u.Path) // DropUse clears u
		if moved != nil {
			dir = moved(dir)
		}
		if err := errors.Join(work.DropUse(from), work.AddUse(dir, "")); err != nil {
			return err
		}
	}
	for _, r := range work.Replace {
		if r.New.Version == "" {
			if err := work.AddReplace(r.Old.Path, r.Old.Version, absolute(r.New.Path), ""); err != nil {
				return err
			}
		}
	}
	work.Cleanup()
	if err := os.WriteFile(filepath.Join(to, "go.work"), modfile.Format(work.Syntax), 0o600); err != nil {
		return err
	}
	sums, err := safefs.ReadFile(file+".sum", safefs.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "go.work.sum"), sums, 0o600)
}
