// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package tree

import (
	"errors"
	"io/fs"
	"os"
)

func renameNew(*os.Root, string, string) error { return errors.ErrUnsupported }

func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }

func removeDir(root *os.Root, name string) error {
	if info, err := root.Lstat(name); err != nil {
		return err
	} else if !info.IsDir() {
		return &fs.PathError{Op: "rmdir", Path: name, Err: errors.New("not a directory")}
	}
	return root.Remove(name)
}
