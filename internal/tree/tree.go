// SPDX-License-Identifier: Apache-2.0

// Package tree holds files in memory, compares them with a directory, and writes what differs.
//
// Comparing and writing are one thing: Write carries out the changes that Diff found, so what verify reports and
// what generate does cannot disagree. The package knows nothing of Go, YAML or generators; who owns a file on disk
// is told to it by the areas that its caller declares.
package tree

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Tree is a set of files, keyed by slash-separated paths relative to a root that is named only when it matters.
type Tree struct {
	files map[string][]byte
	gone  map[string]bool
	areas []Area
}

// Area is a place where files belong to a tool: one that is there and not in the tree is left over, and one that
// is there and is not the tool's is never written over.
type Area struct {
	// Dir is the directory, and all below it.
	Dir string
	// Match tells by its path whether a file can be the tool's at all.
	Match func(path string) bool
	// Owns tells by its path and content whether a file that matches is the tool's.
	Owns func(path string, data []byte) bool
	// Replaces reports whether a file that matches and is not the tool's may be written over all the same. nil is never.
	Replaces func(path string, data []byte) bool
	// Act says what to do about a file that is in the way, with the reason, where there is more to say than for any file. nil,
	// and "", is that there is not.
	Act func(data []byte) string
	// KeepsLeftOver is set where files of the tool that are not in the tree stay.
	KeepsLeftOver bool
	// Tool is what messages call the owner.
	Tool string
}

// New returns an empty tree.
func New() *Tree { return &Tree{files: map[string][]byte{}, gone: map[string]bool{}} }

// Add puts a file into the tree. Two files for one path are an error, and so is a path that leads out of the root.
func (t *Tree) Add(path string, data []byte) error {
	if !fs.ValidPath(path) || path == "." || strings.ContainsAny(path, "\\\x00") || !filepath.IsLocal(filepath.FromSlash(path)) {
		return fmt.Errorf("%q is not a path below the project's directory", path)
	}
	if _, ok := t.files[path]; ok {
		return fmt.Errorf("%s: two generators would write this file", path)
	}
	t.files[path] = data
	return nil
}

// Put is Add for a file that the tree may have already, and that is then replaced.
func (t *Tree) Put(path string, data []byte) error {
	delete(t.files, path)
	return t.Add(path, data)
}

// Remove says that there is to be no file at a path: Diff deletes one that is there.
func (t *Tree) Remove(path string) { t.gone[path] = true }

// Own declares an area.
func (t *Tree) Own(a Area) { t.areas = append(t.areas, a) }

// AddAll puts all files of another tree into this one, and none of its areas: what is on disk stays.
func (t *Tree) AddAll(other *Tree) error {
	for _, path := range other.Paths() {
		if err := t.Add(path, other.files[path]); err != nil {
			return err
		}
	}
	return nil
}

// Merge puts the files of another tree that this one has not into it, and what the other says about files that are not to be there.
func (t *Tree) Merge(other *Tree) error {
	t.areas = append(t.areas, other.areas...)
	maps.Copy(t.gone, other.gone)
	for _, path := range other.Paths() {
		if _, ok := t.files[path]; ok {
			continue
		}
		if err := t.Add(path, other.files[path]); err != nil {
			return err
		}
	}
	return nil
}

// Paths returns the paths of the tree, sorted.
func (t *Tree) Paths() []string { return slices.Sorted(maps.Keys(t.files)) }

// Len is the number of files.
func (t *Tree) Len() int { return len(t.files) }

// Content returns the bytes of a file, and whether the tree has it.
func (t *Tree) Content(path string) ([]byte, bool) {
	data, ok := t.files[path]
	return data, ok
}
