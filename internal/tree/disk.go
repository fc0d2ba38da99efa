// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// disk is what writing does to a directory, one operation a method: tests give one that fails, ends the process, or has a
// user edit files, at any of them.
type disk interface {
	Create(name string, mode fs.FileMode) (file, error)
	Open(name string) (io.ReadSeekCloser, error)
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Mkdir(name string, mode fs.FileMode) error
	Rename(from, to string) error
	// RenameNew is Rename, of a file in the stage, that fails with fs.ErrExist when to exists.
	RenameNew(from, to string) error
	// Exchange swaps two files in one step. The error is errors.ErrUnsupported where the system cannot do that.
	Exchange(a, b string) error
	Remove(name string) error
	RemoveDir(name string) error
}

// file is a file that is being written.
type file interface {
	io.WriteCloser
	Chmod(mode fs.FileMode) error
}

// rootDisk is the real one.
type rootDisk struct{ *os.Root }

// Create creates a file that does not exist yet.
func (d rootDisk) Create(name string, mode fs.FileMode) (file, error) {
	return d.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
}

// Open never blocks, whatever has taken the place of the file.
func (d rootDisk) Open(name string) (io.ReadSeekCloser, error) {
	return d.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// RenameNew uses a hard link where the system cannot rename without replacing, and where there are no hard links either,
// looks first.
func (d rootDisk) RenameNew(from, to string) error {
	err := renameNew(d.Root, from, to)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := d.Link(from, to); err == nil {
		_ = d.Remove(from) // the stage goes anyhow
		return nil
	} else if errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := d.Lstat(to); err == nil {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	return d.Rename(from, to)
}

func (d rootDisk) Exchange(a, b string) error { return exchange(d.Root, a, b) }

func (d rootDisk) RemoveDir(name string) error { return removeDir(d.Root, name) }
