// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// maxBehindLink bounds how many entries are looked at behind a link, which may lead to anything.
const maxBehindLink = 10_000

// checkLink refuses a link to a directory outside of top whose files have tags. Neither the go command nor upstream's generators
// enter such a directory, so what was generated for these tags would be removed as left over.
func (s *Scanner) checkLink(top, link string) error {
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return nil //nolint:nilerr // it leads nowhere
	}
	if real, err := filepath.EvalSymlinks(top); err == nil && (target == real || strings.HasPrefix(target, real+string(filepath.Separator))) {
		return nil // it is read there
	}
	tagged := ""
	seen := 0
	err = filepath.WalkDir(target, func(p string, d fs.DirEntry, err error) error {
		seen++
		switch {
		case seen > maxBehindLink:
			return fs.SkipAll
		case err != nil:
			return nil //nolint:nilerr // no generator can read it either
		case d.IsDir() && p != target && skipped(d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go"):
			if t, err := readTags(p); err == nil && len(t.asks) > 0 {
				tagged = p
				return fs.SkipAll
			}
		}
		return nil
	})
	if err != nil || tagged == "" {
		return err
	}
	rel := func(p string) string {
		if r, err := filepath.Rel(s.root, p); err == nil {
			return filepath.ToSlash(r)
		}
		return p
	}
	inLink, err := filepath.Rel(target, tagged)
	return errors.Join(err, fmt.Errorf("%s is a symbolic link to a directory, which the go command does not enter, and %s has tags; replace the link with the directory, or name it in exclude",
		rel(link), filepath.ToSlash(filepath.Join(rel(link), inLink))))
}

// skipped reports whether nothing below a directory of that name is scanned.
func skipped(name string) bool { return name == ".git" || name == "_output" || name == "vendor" }
