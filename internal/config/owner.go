// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/safefs"
)

// stateName is the directory of package statedir.
const stateName = ".crdctl"

// CheckOwner is for commands that execute what a project says, or connect to where it says. It returns an error if another user
// may have written that: the project's directory, crdctl.yaml, the directory of its state, or the go.mod and go.work that the
// go command uses there. A project is found in the directories above too, and in /tmp, say, anyone may put one.
//
// As in git, the owner decides and modes are not looked at: there are systems on which every file is writable for all.
func CheckOwner(root string) error {
	if safefs.IsSafe(root) {
		return nil
	}
	return checkOwner(root, safefs.Trusted())
}

func checkOwner(root string, owners safefs.Owners) error {
	info, err := os.Stat(root)
	if err == nil {
		err = owners.Check(root, info)
	}
	for _, name := range []string{FileName, stateName} {
		if err == nil {
			err = checkFile(filepath.Join(root, name), owners)
		}
	}
	for _, name := range []string{"go.mod", "go.work"} {
		if err == nil {
			err = checkNearest(root, name, owners)
		}
	}
	owner, ok := errors.AsType[*safefs.OwnerError](err)
	if !ok {
		return err
	}
	return fmt.Errorf("%w, who could have crdctl execute any program; if you trust that user, set %s=%s", owner, safefs.SafeDirectoryEnv, root)
}

// checkFile checks a file, and where it leads to if it is a link.
func checkFile(path string, owners safefs.Owners) error {
	for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := look(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := owners.Check(path, info); err != nil {
			return err
		}
	}
	return nil
}

// checkNearest checks the file that the go command finds from a directory upwards.
func checkNearest(dir, name string, owners safefs.Owners) error {
	for ; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			return checkFile(path, owners)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}
