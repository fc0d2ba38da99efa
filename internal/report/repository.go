// SPDX-License-Identifier: Apache-2.0

package report

import (
	"os"
	"path/filepath"
)

// RepositoryPrefix is the way from the top of the git repository that a directory is in to the directory, with a slash at its
// end. It is empty at the top, and where there is no repository. The directory must be absolute.
func RepositoryPrefix(root string) string {
	for at := root; ; at = filepath.Dir(at) {
		// A directory, or in a work tree and a submodule a file.
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			rel, err := filepath.Rel(at, root)
			if err != nil || rel == "." {
				return ""
			}
			return filepath.ToSlash(rel) + "/"
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}
