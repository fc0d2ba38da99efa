// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package tree

import (
	"errors"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// openDir opens the directory that a file is in. The root sees to it that no link leads out of it.
func openDir(root *os.Root, name string) (*os.File, error) {
	return root.OpenFile(path.Dir(name), os.O_RDONLY|unix.O_DIRECTORY, 0)
}

func renameWith(root *os.Root, from, to string, flags uint) error {
	a, err := openDir(root, from)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	b, err := openDir(root, to)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	err = renameAt(int(a.Fd()), path.Base(from), int(b.Fd()), path.Base(to), flags)
	if errors.Is(err, unix.EINVAL) { // what file systems say that do not know the flag
		err = errors.ErrUnsupported
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// removeDir never removes a file that has taken the place of the directory.
func removeDir(root *os.Root, name string) error {
	dir, err := openDir(root, name)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if err := unix.Unlinkat(int(dir.Fd()), path.Base(name), unix.AT_REMOVEDIR); err != nil {
		return &fs.PathError{Op: "rmdir", Path: name, Err: err}
	}
	return nil
}
