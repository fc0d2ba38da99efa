// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"path/filepath"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/tree"
)

// notDirectory is the error of a path that leads through a file. Engines report errors as text, so the text is what there is
// to go by.
var notDirectory = lazyregexp.New(`(?:open|l?stat|readlink) (.+?): not a directory`)

// Blocked names the file that is where a directory is to be, where err is about that; it is nil for other errors.
func Blocked(root string, err error) error {
	m := notDirectory.FindStringSubmatch(err.Error())
	if m == nil {
		return nil
	}
	path := m[1]
	if filepath.IsAbs(path) {
		rel, relErr := filepath.Rel(root, path)
		if relErr != nil {
			return nil //nolint:nilerr // err is the error
		}
		path = rel
	}
	if !filepath.IsLocal(path) {
		return nil
	}
	return tree.Obstacle(root, filepath.ToSlash(filepath.Clean(path)), err)
}
