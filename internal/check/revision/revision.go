// SPDX-License-Identifier: Apache-2.0

// Package revision reads an older state of a project: a git revision, straight from the object store, or a directory or file on disk.
//
// It never touches the working tree, the index or the network, and writes nothing. It knows neither CRDs nor Go types.
package revision

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
)

// Base is an older state of a project. Its files have slash-separated paths, relative to the root of the project for a git revision, and to
// the directory that was named otherwise.
type Base struct {
	// Name is what messages call it, as in "origin/main (merge base 1a2b3c4d5e6f)".
	Name string
	// Given reports whether the user named it; one that was not is the merge base with the default branch.
	Given bool
	// Whole reports whether it is the whole project, with files at the paths that they have in the project.
	Whole bool

	files []string // sorted
	read  func(name string) ([]byte, error)
	close func() error
}

// Files are the regular files below a directory, sorted; "." stands for all.
func (b *Base) Files(dir string) (below []string) {
	for _, name := range b.files {
		if text.Below(dir, name) {
			below = append(below, name)
		}
	}
	return below
}

// Has reports whether there is a regular file.
func (b *Base) Has(name string) bool {
	_, found := slices.BinarySearch(b.files, name)
	return found
}

// ReadFile is the content of a file. It may be used by one goroutine at a time.
func (b *Base) ReadFile(name string) ([]byte, error) {
	if !b.Has(name) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	data, err := b.read(name)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", name, b.Name, err)
	}
	return data, nil
}

// Close ends what reads the files.
func (b *Base) Close() error { return b.close() }

// Open finds what a user names: a git revision of the repository that root is in, or a directory or file, seen from the directory dir. A name that
// is both is the revision; a path that begins with "./", "../" or "/" is a path.
func Open(ctx context.Context, root, dir, name string) (*Base, error) {
	isPath := filepath.IsAbs(name) || name == "." || name == ".." || strings.HasPrefix(filepath.ToSlash(name), "./") || strings.HasPrefix(filepath.ToSlash(name), "../")
	if !isPath {
		b, err := openGit(ctx, root, name)
		if err == nil {
			b.Name, b.Given = name, true
			return b, nil
		}
		var unknown *unknownError
		_, statErr := os.Stat(seenFrom(dir, name))
		switch noRepository := errors.Is(err, errNoRepository); {
		case statErr == nil && (noRepository || errors.As(err, &unknown)):
		case noRepository:
			return nil, fmt.Errorf("--against %s: %w, and no file or directory has that name; name a directory or a file with the older CRDs", name, err)
		default:
			return nil, err
		}
	}
	b, err := OpenPath(dir, name)
	if err != nil {
		return nil, fmt.Errorf("--against %s: %w; name a git revision, a directory or a file", name, err)
	}
	return b, nil
}

func seenFrom(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// OpenPath is Open for a directory or a file.
func OpenPath(dir, name string) (*Base, error) {
	at := seenFrom(dir, name)
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return nil, errors.Unwrap(err)
	case info.IsDir():
		return openDir(at, name)
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	}
	return &Base{
		Name: name, Given: true, files: []string{filepath.Base(at)}, close: func() error { return nil },
		read: func(string) ([]byte, error) { return safefs.ReadFile(at, safefs.MaxFile) },
	}, nil
}

// openDir reads a directory, but not what it has links to.
func openDir(dir, name string) (*Base, error) {
	in, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	b := &Base{Name: name, Given: true, close: in.Close, read: func(name string) ([]byte, error) {
		return safefs.ReadFileIn(in, filepath.FromSlash(name), safefs.MaxFile)
	}}
	err = fs.WalkDir(in.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (path.Base(p) == ".git" || path.Base(p) == "node_modules"):
			return fs.SkipDir
		case d.Type().IsRegular():
			b.files = append(b.files, p)
			b.Whole = b.Whole || p == "go.mod"
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	slices.Sort(b.files)
	return b, nil
}
