// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// inGit refuses changes in git's own directory. A link to a directory of the project is followed, and a repository may contain
// one to .git, where files are hooks and settings that run commands.
func inGit(root string, changes []Change) (problems []error) {
	top, err := filepath.EvalSymlinks(root)
	if err != nil {
		return []error{err}
	}
	seen := map[string]bool{}
	for _, c := range changes {
		dir := path.Dir(c.Path)
		if seen[dir] {
			continue
		}
		seen[dir] = true
		if at := realDir(root, top, dir); isGits(at) || isGits(dir) {
			problems = append(problems, fmt.Errorf("%s is in git's own directory (%s), where crdctl never writes; remove the link, or name another path in crdctl.yaml", dir, at))
		}
	}
	return problems
}

// realDir is where the part of a directory that exists lies below top, with links followed.
func realDir(root, top, dir string) string {
	for ; ; dir = path.Dir(dir) {
		full, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(dir)))
		if err != nil && dir != "." {
			continue
		}
		if at, err := filepath.Rel(top, full); err == nil {
			return filepath.ToSlash(at)
		}
		return dir
	}
}

// isGits reports whether a path has git's directory in it, by any of the names that a file system may know it by.
func isGits(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.EqualFold(part, ".git") || strings.HasPrefix(strings.ToLower(part), "git~")
	})
}
