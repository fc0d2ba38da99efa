// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Glob returns the paths of the files in dir that match a pattern with slashes, sorted, each beginning with dir. Only the pattern is one:
// filepath.Glob reads the user's directory as a pattern, too, and finds nothing in one that is named g[x].
func Glob(dir, pattern string) ([]string, error) {
	names, err := fs.Glob(os.DirFS(dir), pattern)
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return names, err
}

// ModulesBelow are the directories of the modules one or two levels below the root of a repository, with slashes and relative to it. Those
// below any other directory, as one of projects, belong to no common project, so it has none.
func ModulesBelow(root string) (dirs []string) {
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		return nil
	}
	for _, pattern := range []string{"*/go.mod", "*/*/go.mod"} {
		found, _ := fs.Glob(os.DirFS(root), pattern) // the pattern is right
		for _, file := range found {
			dirs = append(dirs, path.Dir(file))
		}
	}
	return dirs
}

// ModulesHint names modules below the root of a repository without one, for who ran a command there; "" if there are none.
func ModulesHint(root string) string {
	below := ModulesBelow(root)
	if len(below) == 0 {
		return ""
	}
	return "set --dir to that of a module below it, such as " + strings.Join(below[:min(len(below), shownModules)], ", ")
}

const shownModules = 3 // in a hint
