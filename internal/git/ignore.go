// SPDX-License-Identifier: Apache-2.0

package git

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/crdctl/crdctl/internal/safefs"
)

// Tree is a directory of which files may be missing, with what git knows of these.
type Tree struct {
	root    string
	deleted func() map[string]bool // files and the directories above them
}

// NewTree runs git at most once, when it is needed.
func NewTree(root string) *Tree {
	return &Tree{root, sync.OnceValue(func() map[string]bool { return deleted(root) })}
}

// Deleted reports whether a file that does not exist, or one below a directory, is in git's index: it was committed, or is about to be. Without git
// or a repository that is not known, and false.
func (t *Tree) Deleted(file string) bool { return t.deleted()[file] }

// DeletedAs are those of these files and directories that have a name, sorted.
func (t *Tree) DeletedAs(name string) (all []string) {
	for file := range t.deleted() {
		if path.Base(file) == name {
			all = append(all, file)
		}
	}
	slices.Sort(all)
	return all
}

func deleted(root string) map[string]bool {
	all := map[string]bool{}
	out, err := Command(context.Background(), root, "ls-files", "-z", "--deleted").Output()
	if err != nil {
		return nil
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		for ; name != "" && name != "." && !all[name]; name = path.Dir(name) {
			all[name] = true
		}
	}
	return all
}

// Ignores reports whether git ignores a file or directory that does not exist: what is generated into it is not kept. A file that was committed all
// the same is not ignored. Of the patterns of .gitignore it knows those that projects use for that: names and paths, with stars.
func (t *Tree) Ignores(file string) bool {
	if _, err := os.Stat(filepath.Join(t.root, filepath.FromSlash(file))); err == nil {
		return false
	}
	ignored := false
	for at, rest := ".", file; ; {
		data, err := safefs.ReadFile(filepath.Join(t.root, filepath.FromSlash(at), ".gitignore"), safefs.MaxFile)
		if err == nil {
			for line := range strings.Lines(string(data)) {
				pattern, negated := strings.CutPrefix(strings.TrimSpace(line), "!")
				if pattern != "" && pattern[0] != '#' && excludes(pattern, rest) {
					ignored = !negated
				}
			}
		}
		first, deeper, more := strings.Cut(rest, "/")
		if !more || first == ".." {
			return ignored && !t.Deleted(file)
		}
		at, rest = path.Join(at, first), deeper
	}
}

// excludes reports whether a pattern of .gitignore matches a file or a directory above it.
func excludes(pattern, file string) bool {
	anchored := strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	words := strings.Split(strings.TrimSuffix(strings.TrimSuffix(strings.Trim(pattern, "/"), "/*"), "/**"), "/")
	if !anchored {
		words = append([]string{anyDirs}, words...)
	}
	parts := strings.Split(file, "/")
	for i := range parts {
		if matches(words, parts[:i+1]) {
			return true
		}
	}
	return false
}

// anyDirs stands for any number of directories in a pattern.
const anyDirs = "**"

// matches reports whether a pattern matches a path; both are split at their slashes.
func matches(pattern, file []string) bool {
	switch {
	case len(pattern) == 0:
		return len(file) == 0
	case pattern[0] == anyDirs && matches(pattern[1:], file):
		return true
	case len(file) == 0:
		return false
	case pattern[0] == anyDirs:
		return matches(pattern, file[1:])
	}
	ok, _ := path.Match(pattern[0], file[0])
	return ok && matches(pattern[1:], file[1:])
}
