// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
)

// ignored reports whether git ignores a directory or file that is not there: what is generated into it is not kept. Of the patterns of
// .gitignore it knows those that projects use for that: names and paths, with stars.
func (d *discovery) ignored(file string) bool {
	if _, err := os.Stat(filepath.Join(d.Root, filepath.FromSlash(file))); err == nil {
		return false
	}
	ignored := false
	for at := "."; ; {
		data, err := safefs.ReadFile(filepath.Join(d.Root, filepath.FromSlash(at), ".gitignore"), safefs.MaxFile)
		if err == nil {
			for line := range strings.Lines(string(data)) {
				pattern, negated := strings.CutPrefix(strings.TrimSpace(line), "!")
				if pattern != "" && pattern[0] != '#' && excludes(pattern, relative(at, file)) {
					ignored = !negated
				}
			}
		}
		rest := relative(at, file)
		first, _, deeper := strings.Cut(rest, "/")
		if at = path.Join(at, first); !deeper || !text.Below(".", at) {
			return ignored
		}
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
