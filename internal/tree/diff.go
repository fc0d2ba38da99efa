// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/safefs"
)

// Op is what Write does to a file.
type Op string

// The operations. Their values are what a person reads.
const (
	Create Op = "create"
	Update Op = "update"
	Delete Op = "delete"
)

// Change is the difference between the tree and the disk in one file.
type Change struct {
	Path string
	Op   Op
	Old  []byte // nil when created
	New  []byte // nil when deleted
}

// InTheWayError is the error of a file that its area's owner did not write: it is a user's work.
type InTheWayError struct{ Path, Tool, Act string }

func (e *InTheWayError) Error() string {
	return fmt.Sprintf("%s was not written by %s and would be overwritten; %s", e.Path, e.Tool, e.Act)
}

// Diff compares the tree with the directory root and returns what Write would change, sorted by path. A file in the way is an error.
func (t *Tree) Diff(root string) ([]Change, error) {
	changes, inTheWay, err := t.DiffOthers(root)
	var problems []error
	for _, one := range inTheWay {
		problems = append(problems, one)
	}
	if err = errors.Join(append(problems, err)...); err != nil {
		return nil, err
	}
	return changes, nil
}

// DiffOthers is Diff for those that only compare: files in the way leave the others compared.
func (t *Tree) DiffOthers(root string) (changes []Change, inTheWay []*InTheWayError, err error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = dir.Close() }()

	changes, problems := t.compare(dir)
	problems = slices.DeleteFunc(problems, func(err error) bool {
		one, ok := errors.AsType[*InTheWayError](err)
		if ok {
			inTheWay = append(inTheWay, one)
		}
		return ok
	})
	stale, err := t.stale(dir, slices.DeleteFunc(slices.Clone(t.areas), func(a Area) bool { return a.KeepsLeftOver }))
	if err != nil {
		problems = append(problems, err)
	}
	changes = append(changes, stale...)
	removed, err := t.removed(dir, stale)
	if err != nil {
		problems = append(problems, err)
	}
	changes = append(changes, removed...)
	problems = append(problems, inGit(root, changes)...)
	if len(problems) > 0 {
		return nil, inTheWay, errors.Join(eachOnce(problems)...)
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	hook("compared")
	return changes, inTheWay, nil
}

// compare reads the files of the tree that are on disk, side by side.
func (t *Tree) compare(dir *os.Root) (changes []Change, problems []error) {
	paths := t.Paths()
	type result struct {
		change *Change
		err    error
	}
	results := make([]result, len(paths))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range paths {
		group.Go(func() error {
			results[i].change, results[i].err = t.compareOne(dir, p)
			return nil
		})
	}
	_ = group.Wait() // each has its own error
	for _, r := range results {
		if r.err != nil {
			problems = append(problems, r.err)
		} else if r.change != nil {
			changes = append(changes, *r.change)
		}
	}
	return changes, problems
}

func (t *Tree) compareOne(dir *os.Root, p string) (*Change, error) {
	data := t.files[p]
	old, err := safefs.ReadFileIn(dir, p, safefs.MaxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		switch info, err := dir.Lstat(p); {
		case err == nil && info.Mode().IsRegular():
			return t.compareOne(dir, p) // another process has just made it
		case err == nil:
			return nil, obstacle(dir, p, fs.ErrNotExist)
		}
		return &Change{Path: p, Op: Create, New: data}, nil
	case err != nil:
		return nil, obstacle(dir, p, err)
	case bytes.Equal(old, data):
		return nil, nil
	}
	if info, err := dir.Lstat(p); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, obstacle(dir, p, nil)
	}
	if a := t.areaOf(p, old); a != nil && !torn(old) && !a.takes(p, old) {
		return nil, &InTheWayError{p, a.Tool, a.act(old)}
	}
	return &Change{Path: p, Op: Update, Old: old, New: data}, nil
}

// act is what to do about a file that is in the way.
func (a *Area) act(data []byte) string {
	if a.Act != nil {
		if act := a.Act(data); act != "" {
			return act
		}
	}
	return "move it away, or delete it if it is not needed"
}

// torn reports whether content is what a power failure leaves of a file that was just written, on file systems that keep
// the name and lose the bytes: not a user's work, and nothing to stop for.
func torn(data []byte) bool { return len(data) == 0 || data[0] == 0 }

// areaOf is the area that a file is in: of several one whose tool wrote it, or else the innermost. A tool may have a directory with those
// of others below it, or with single files of others.
func (t *Tree) areaOf(p string, old []byte) (of *Area) {
	for i, a := range t.areas {
		if !inside(a.Dir, p) || !a.Match(p) {
			continue
		}
		if a.takes(p, old) {
			return &t.areas[i]
		}
		if of == nil || a.Dir != of.Dir && inside(of.Dir, a.Dir) {
			of = &t.areas[i]
		}
	}
	return of
}

// takes reports whether a file may be written over.
func (a *Area) takes(p string, old []byte) bool {
	return a.Owns(p, old) || a.Replaces != nil && a.Replaces(p, old)
}

func inside(dir, p string) bool { return dir == "." || strings.HasPrefix(p, dir+"/") }

// Kept lists the files that a tool wrote, that the tree no longer has, and that stay all the same, by the tool; the lists are sorted.
func (t *Tree) Kept(root string) (map[string][]string, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	kept := map[string][]string{}
	for _, a := range t.areas {
		if !a.KeepsLeftOver {
			continue
		}
		left, err := t.stale(dir, []Area{a})
		if err != nil {
			return nil, err
		}
		if len(left) > 0 {
			kept[a.Tool] = slices.Sorted(slices.Values(append(kept[a.Tool], paths(left)...)))
		}
	}
	return kept, nil
}

// Written lists the files on disk that the tool of an area wrote, sorted.
func Written(root string, a Area) ([]string, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	found, err := New().stale(dir, []Area{a})
	return paths(found), err
}

// paths are those of changes, sorted.
func paths(changes []Change) (all []string) {
	for _, c := range changes {
		all = append(all, c.Path)
	}
	slices.Sort(all)
	return all
}

// stale finds the files that the owners of areas wrote and that the tree no longer has.
func (t *Tree) stale(root *os.Root, of []Area) ([]Change, error) {
	found := map[string]Change{}
	byDir := map[string][]Area{}
	for _, a := range of {
		byDir[a.Dir] = append(byDir[a.Dir], a)
	}
	for dir, areas := range byDir {
		err := walkFiles(root.FS(), dir, func(p string) error {
			if _, kept := t.files[p]; kept {
				return nil
			}
			data, owned, err := ownedBy(root, p, areas)
			if owned {
				found[p] = Change{Path: p, Op: Delete, Old: data}
			}
			return err
		})
		if err != nil {
			return nil, obstacle(root, dir, fmt.Errorf("look for left-over files: %w", unwrapPath(err)))
		}
	}
	return slices.Collect(maps.Values(found)), nil
}

// walkFiles calls a function for each regular file below a directory, but not in those below it that no generator writes to. What is removed meanwhile
// is left out.
func walkFiles(disk fs.FS, dir string, each func(p string) error) error {
	return fs.WalkDir(disk, dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir():
			if name := d.Name(); p != dir && (strings.HasPrefix(name, ".") || name == "vendor" || name == "node_modules" || name == "_output") {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		return each(p)
	})
}

// ownedBy returns the content of a file that the owner of one of the areas wrote, and reports whether there is one.
func ownedBy(root *os.Root, p string, areas []Area) (data []byte, owned bool, err error) {
	for _, a := range areas {
		if !a.Match(p) {
			continue
		}
		if data == nil {
			data, err = safefs.ReadFileIn(root, p, safefs.MaxFile)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, false, nil // another run has just removed it
		}
		if err != nil {
			return nil, false, err
		}
		if a.Owns(p, data) {
			return data, true, nil
		}
	}
	return nil, false, nil
}

// removed finds the files that Remove named, less those that are left over anyhow.
func (t *Tree) removed(dir *os.Root, stale []Change) (changes []Change, err error) {
	for p := range t.gone {
		if _, ok := t.files[p]; ok || slices.ContainsFunc(stale, func(c Change) bool { return c.Path == p }) {
			continue
		}
		old, err := safefs.ReadFileIn(dir, p, safefs.MaxFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if info, statErr := dir.Lstat(p); err != nil || statErr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, obstacle(dir, p, err)
		}
		changes = append(changes, Change{Path: p, Op: Delete, Old: old})
	}
	return changes, nil
}

// InTheWay returns the paths of the tree that exist in root with other content, sorted: what a scaffold would have
// to overwrite. Directories and links instead of a file count.
func (t *Tree) InTheWay(root string) []string {
	var paths []string
	for _, p := range t.Paths() {
		full := filepath.Join(root, filepath.FromSlash(p))
		if _, err := os.Lstat(full); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if old, err := safefs.ReadFile(full, safefs.MaxFile); err == nil && bytes.Equal(old, t.files[p]) {
			continue
		}
		paths = append(paths, p)
	}
	return paths
}

// unwrapPath takes the path off an error that names it a second time.
func unwrapPath(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}
