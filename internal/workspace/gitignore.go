// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"bytes"
	"encoding/binary"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
)

// GitIgnores reports whether git ignores a file or directory below root that does not exist: what is generated into it is not kept. A file that
// was committed all the same, and deleted, is not ignored. Of the patterns of .gitignore it knows those that projects use for that: names and
// paths, with stars.
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
			return ignored && !Tracked(root, file)
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

// Tracked reports whether git's index has a file, or one in a directory: what does not exist was deleted and not yet committed so. An index of version 4 has names in parts, and is
// treated as empty.
func Tracked(root, file string) bool {
	at, err := filepath.Abs(root)
	if err != nil {
		return false
	}
	name := file
	for {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			break
		}
		if at == filepath.Dir(at) {
			return false
		}
		at, name = filepath.Dir(at), path.Join(filepath.Base(at), name)
	}
	dir := filepath.Join(at, ".git")
	// In a work tree and a submodule, it is a file that names the directory.
	if link, err := safefs.ReadFile(dir, safefs.MaxFile); err == nil {
		to := strings.TrimSpace(strings.TrimPrefix(string(link), "gitdir:"))
		if dir = to; !filepath.IsAbs(to) {
			dir = filepath.Join(at, to)
		}
	}
	index, err := safefs.ReadFile(filepath.Join(dir, "index"), safefs.MaxFile)
	if err != nil {
		return false
	}
	for at := 0; ; at++ {
		i := bytes.Index(index[at:], []byte(name))
		if i < 0 {
			return false
		}
		at += i
		// Before a name are two bytes with its length, and after it is a zero.
		length := bytes.IndexByte(index[at:], 0)
		whole := length == len(name) || length > len(name) && index[at+len(name)] == '/'
		if whole && at >= 2 && binary.BigEndian.Uint16(index[at-2:])&0xfff == uint16(min(length, 0xfff)) {
			return true
		}
	}
}
