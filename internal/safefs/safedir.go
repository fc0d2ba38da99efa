// SPDX-License-Identifier: Apache-2.0

package safefs

import (
	"os"
	"path/filepath"
	"slices"
)

// SafeDirectoryEnv is the environment variable with the directories of other users whose projects are trusted nevertheless, as
// git's safe.directory. Like PATH it is a list; each entry is an absolute path and stands for that directory alone.
const SafeDirectoryEnv = "CRDCTL_SAFE_DIRECTORY"

// IsSafe reports whether the list of SafeDirectoryEnv has a directory.
func IsSafe(dir string) bool { return isSafe(dir, os.Getenv(SafeDirectoryEnv)) }

func isSafe(dir, list string) bool {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	dir = realPath(dir)
	return slices.ContainsFunc(filepath.SplitList(list), func(entry string) bool {
		return filepath.IsAbs(entry) && realPath(entry) == dir
	})
}

func realPath(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}

// TrustedIn is Trusted for what is in a directory and in its entry state: where the directory is safe, the owners of the two are
// trusted too.
func TrustedIn(dir, state string) Owners {
	owners := Trusted()
	if !IsSafe(dir) {
		return owners
	}
	for _, path := range []string{dir, filepath.Join(dir, state)} {
		if info, err := os.Lstat(path); err == nil {
			if uid, ok := uidOf(info); ok {
				owners = append(owners, uid)
			}
		}
	}
	return owners
}
