// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
)

// GitIgnores reports whether git ignores a file or directory below root that does not exist: what is generated into it is not kept. Of the
// patterns of .gitignore it knows those that projects use for that: names and paths, with stars.
func GitIgnores(root, file string) bool {
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err == nil {
		return false
	}
	ignored := false
	for at, rest := ".", file; ; {
		data, err := safefs.ReadFile(filepath.Join(root, filepath.FromSlash(at), ".gitignore"), safefs.MaxFile)
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
			return ignored
		}
		at, rest = path.Join(at, first), deeper
	}
}

// excludes reports whether a pattern of .gitignore matches a file or a directory above it.
func excludes(pattern, file string) bool {
	anchored := strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	pattern = strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(strings.Trim(pattern, "/"), "/*"), "/**"), "**/")
	parts := strings.Split(file, "/")
	for i := range parts {
		subject := parts[i]
		if anchored {
			subject = strings.Join(parts[:i+1], "/")
		}
		if ok, _ := path.Match(pattern, subject); ok {
			return true
		}
	}
	return false
}
