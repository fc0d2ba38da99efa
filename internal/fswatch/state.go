// SPDX-License-Identifier: Apache-2.0

package fswatch

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// State is what the file system says of the files that are watched.
type State struct {
	files      map[string]fs.FileInfo
	dirs       []string // whose events may mean a change
	incomplete bool     // something is missing: perhaps only for the moment in which it is replaced
	missing    []string // what is
}

// Files looks at files by name. Symbolic links are followed.
func Files(paths ...string) func() State {
	return func() State {
		s := State{files: map[string]fs.FileInfo{}}
		for _, p := range paths {
			s.dirs = append(s.dirs, filepath.Dir(p))
			info, err := os.Stat(p)
			if err != nil {
				s.incomplete, s.missing = true, append(s.missing, p)
				continue
			}
			s.files[p] = info
			if real, err := filepath.EvalSymlinks(p); err == nil && real != p {
				s.dirs = append(s.dirs, filepath.Dir(real))
			}
		}
		slices.Sort(s.dirs)
		s.dirs = slices.Compact(s.dirs)
		return s
	}
}

// Dir looks at the files of one directory whose names are wanted, and not at directories in it.
func Dir(dir string, wanted func(name string) bool) func() State {
	return func() State {
		s := State{files: map[string]fs.FileInfo{}, dirs: []string{dir}}
		entries, err := os.ReadDir(dir)
		if err != nil {
			s.incomplete, s.missing = true, []string{dir}
		}
		for _, e := range entries {
			if !wanted(e.Name()) {
				continue
			}
			p := filepath.Join(dir, e.Name())
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() { // a file that was deleted meanwhile does not count
				s.files[p] = info
			}
		}
		return s
	}
}

func (s State) equal(other State) bool {
	return s.incomplete == other.incomplete && maps.EqualFunc(s.files, other.files, func(a, b fs.FileInfo) bool {
		return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
	})
}
