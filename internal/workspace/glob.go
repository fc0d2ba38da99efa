// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
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
