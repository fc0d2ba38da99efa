// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Obstacle is the error of a path below root that err says leads through what is not a directory.
func Obstacle(root, p string, err error) error {
	dir, openErr := os.OpenRoot(root)
	if openErr != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	return obstacle(dir, p, err)
}

// obstacle is the error of a path at which a file cannot be read or written: what stands in the way, and what to do about it.
func obstacle(dir *os.Root, p string, err error) error {
	at := ""
	for part := range strings.SplitSeq(p, "/") {
		at = path.Join(at, part)
		info, statErr := dir.Lstat(at)
		if statErr != nil {
			break
		}
		switch mode := info.Mode(); {
		case mode&fs.ModeSymlink != 0:
			if _, err := dir.Stat(at); err == nil && at != p {
				continue // to a directory in the project
			}
			target, _ := dir.Readlink(at)
			return fmt.Errorf("%s is a symbolic link to %s, and crdctl does not write through links; replace it with a copy of that, or name another path in crdctl.yaml", at, target)
		case at != p && !mode.IsDir():
			return fmt.Errorf("%s is a file, but must be a directory; move it away, or delete it if it is not needed", at)
		case at == p && mode.IsDir():
			if err != nil && strings.HasPrefix(err.Error(), "look for") {
				break
			}
			return fmt.Errorf("%s is a directory, but must be a file; move it away, or delete it if it is not needed", at)
		case at == p && !mode.IsRegular():
			return fmt.Errorf("%s is not a regular file; move it away, or delete it if it is not needed", at)
		}
	}
	return fmt.Errorf("read %s: %w", p, unwrapPath(err))
}

// eachOnce leaves out errors that say the same: one link can be in the way of many files.
func eachOnce(errs []error) []error {
	seen := map[string]bool{}
	return slices.DeleteFunc(errs, func(err error) bool {
		said := seen[err.Error()]
		seen[err.Error()] = true
		return said
	})
}
