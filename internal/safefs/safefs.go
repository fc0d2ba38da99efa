// SPDX-License-Identifier: Apache-2.0

// Package safefs opens the directories that crdctl keeps for itself: state, data, temporary files and caches. Other users, and
// repositories, may have put anything there. Below the anchor, the directory that the user names or that the system has
// (a project, $TMPDIR, the user's cache directory), no symbolic link is followed, files and directories of other users are
// refused, and opening a FIFO or a device never blocks.
//
// The anchor itself may be a symbolic link: a cache directory on another disk is the user's choice.
//
// It is not for the user's own sources, nor for what crdctl generates into them (package tree).
package safefs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Errors that a hint follows in the callers' words.
var (
	ErrLink    = errors.New("is a symbolic link, and crdctl does not follow links there")
	ErrSpecial = errors.New("is not a regular file")
	ErrTooBig  = errors.New("is too large")
	errMoved   = errors.New("was replaced while crdctl opened it")
)

// maxRaces bounds how often a file is tried that another process creates or removes meanwhile.
const maxRaces = 10

// Dir is an open directory. Its methods take names of entries, without a separator.
type Dir struct {
	root   *os.Root
	path   string
	owners Owners
}

// Anchor opens a directory whose own path may lead through links and belong to anyone. What is opened in it must belong to one
// of the owners.
func Anchor(path string, owners Owners) (*Dir, error) {
	if info, err := os.Stat(path); err != nil { // OpenRoot would wait for a FIFO
		return nil, err
	} else if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root: root, path: path, owners: owners}, nil
}

// Path is where the directory was when it was opened.
func (d *Dir) Path() string { return d.path }

// Inode is the number of the directory in its file system: it stays when the directory is moved there, and a copy has another. On
// Windows it is 0.
func (d *Dir) Inode() (uint64, error) {
	info, err := d.root.Stat(".")
	if err != nil {
		return 0, err
	}
	return inodeOf(info), nil
}

// Join is the path of an entry.
func (d *Dir) Join(name string) string { return filepath.Join(d.path, name) }

// Close closes the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Sub opens the directory name.
func (d *Dir) Sub(name string) (*Dir, error) {
	before, err := d.Lstat(name)
	if err != nil {
		return nil, err
	}
	switch {
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, d.problem(name, ErrLink)
	case !before.IsDir():
		return nil, d.problem(name, syscall.ENOTDIR)
	}
	if err := d.owners.Check(d.Join(name), before); err != nil {
		return nil, err
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, d.problem(name, err)
	}
	// What was looked at above may have been swapped for a link; what is open now is not.
	if after, err := root.Stat("."); err != nil || !os.SameFile(before, after) {
		return nil, errors.Join(d.problem(name, errMoved), err, root.Close())
	}
	return &Dir{root: root, path: d.Join(name), owners: d.owners}, nil
}

// Make is Sub of a directory that is created, for this user alone, if it does not exist.
func (d *Dir) Make(name string) (*Dir, error) {
	if err := single(name); err != nil {
		return nil, err
	}
	if err := d.root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, d.problem(name, err)
	}
	return d.Sub(name)
}

// Private closes the directory to other users.
func (d *Dir) Private() error {
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o700), f.Close()); err != nil {
		return err
	}
	if shared, err := d.Shared(); err != nil || shared {
		return errors.Join(err, fmt.Errorf("%s cannot be restricted to this user, but crdctl keeps credentials there; use a file system with permissions", d.path))
	}
	return nil
}

// Shared reports whether the mode of the directory lets other users in: they can lock files that they can read. Where files have
// no user ids, on Windows, none is.
func (d *Dir) Shared() (bool, error) {
	info, err := d.root.Stat(".")
	if err != nil {
		return false, err
	}
	_, hasOwner := uidOf(info)
	return hasOwner && info.Mode().Perm()&0o077 != 0, nil
}

// OpenFile opens a regular file as os.OpenFile does. O_TRUNC takes effect after the file has been checked.
func (d *Dir) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	for range maxRaces {
		f, err := d.openFile(name, flag, perm)
		if !errors.Is(err, errMoved) {
			return f, err
		}
	}
	return nil, d.problem(name, errMoved)
}

func (d *Dir) openFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	before, err := d.Lstat(name)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err == nil:
		if err := d.check(name, before); err != nil {
			return nil, err
		}
	case !missing || flag&os.O_CREATE == 0:
		return nil, err
	}
	open := flag&^os.O_TRUNC | nonblock
	if missing {
		open |= os.O_EXCL // so that no link that appears now is followed
	}
	f, err := d.root.OpenFile(name, open, perm)
	switch {
	case err != nil && missing && flag&os.O_EXCL == 0 && errors.Is(err, fs.ErrExist),
		err != nil && !missing && errors.Is(err, fs.ErrNotExist):
		return nil, errMoved
	case err != nil:
		return nil, d.problem(name, err)
	}
	after, err := f.Stat()
	if err == nil && before != nil && !os.SameFile(before, after) {
		err = errMoved
	}
	if err == nil {
		err = d.check(name, after)
	}
	if err == nil && flag&os.O_TRUNC != 0 {
		err = f.Truncate(0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// check accepts a regular file of an owner.
func (d *Dir) check(name string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return d.problem(name, ErrLink)
	case info.IsDir():
		return d.problem(name, syscall.EISDIR)
	case !info.Mode().IsRegular():
		return d.problem(name, ErrSpecial)
	}
	return d.owners.Check(d.Join(name), info)
}

// Read returns the content of a regular file of at most limit bytes.
func (d *Dir) Read(name string, limit int64) ([]byte, error) {
	f, err := d.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	return readAll(f, d.Join(name), limit)
}

// Write replaces the content of a regular file of mode 0600, or creates it, by a rename: no reader sees half of it.
func (d *Dir) Write(name string, data []byte) error {
	if _, err := d.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, temp, err := d.CreateTemp(TempPrefix(name))
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.Rename(temp, name)
	}
	if err != nil {
		_ = d.Remove(temp)
	}
	return err
}

// Stat describes a regular file of an owner. All else is an error.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	info, err := d.Lstat(name)
	if err == nil {
		err = d.check(name, info)
	}
	if err != nil {
		return nil, err
	}
	return info, nil
}

// Lstat describes an entry. It does not follow links.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	if err := single(name); err != nil {
		return nil, err
	}
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, d.problem(name, err)
	}
	return info, nil
}

// Entries lists the directory.
func (d *Dir) Entries() ([]fs.DirEntry, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	entries, err := f.ReadDir(-1)
	return entries, errors.Join(err, f.Close())
}

// Rename renames an entry within the directory.
func (d *Dir) Rename(from, to string) error {
	if err := errors.Join(single(from), single(to)); err != nil {
		return err
	}
	return d.root.Rename(from, to)
}

// Remove removes a file, a link or an empty directory. One that does not exist is not an error.
func (d *Dir) Remove(name string) error {
	if err := single(name); err != nil {
		return err
	}
	return unlessMissing(d.root.Remove(name))
}

// RemoveAll removes an entry with all that is in it. Links are removed, not followed.
func (d *Dir) RemoveAll(name string) error {
	if err := single(name); err != nil {
		return err
	}
	return unlessMissing(d.root.RemoveAll(name))
}

// Root is the directory for what this package has no method for. Its methods follow links that stay below it.
func (d *Dir) Root() *os.Root { return d.root }

func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// single accepts the name of an entry, and nothing that leads further.
func single(name string) error {
	if name == "." || name == ".." || name == "" || strings.ContainsAny(name, `/\`) {
		return fmt.Errorf("%q is not the name of a file", name)
	}
	return nil
}

// problem names the object of an error in full: that of os.Root has the name only.
func (d *Dir) problem(name string, err error) error {
	if inRoot, ok := errors.AsType[*fs.PathError](err); ok {
		err = inRoot.Err
	}
	return &fs.PathError{Op: "open", Path: d.Join(name), Err: err}
}
