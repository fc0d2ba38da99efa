// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"errors"
	"io"
	"io/fs"
)

// faulty is a disk on which something happens at the n-th operation. A write has by then written half.
type faulty struct {
	disk
	left   int
	plain  bool // cannot exchange files, nor rename without replacing
	happen func() error
}

func (d *faulty) step() error {
	if d.left--; d.left == 0 {
		return d.happen()
	}
	return nil
}

// then does an operation after the step, unless that fails.
func (d *faulty) then(do func() error) error {
	if err := d.step(); err != nil {
		return err
	}
	return do()
}

func (d *faulty) Create(name string, mode fs.FileMode) (file, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	f, err := d.disk.Create(name, mode)
	return &faultyFile{f, d}, err
}

func (d *faulty) Stat(name string) (fs.FileInfo, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	return d.disk.Stat(name)
}

func (d *faulty) Lstat(name string) (fs.FileInfo, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	return d.disk.Lstat(name)
}

func (d *faulty) Open(name string) (io.ReadSeekCloser, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	f, err := d.disk.Open(name)
	if err == nil {
		err = d.step() // open, and not yet read
	}
	return f, err
}

func (d *faulty) Exchange(a, b string) error {
	if err := d.step(); err != nil {
		return err
	}
	if d.plain {
		return errors.ErrUnsupported
	}
	return d.disk.Exchange(a, b)
}

// RenameNew has the disk that can do the least go step by step.
func (d *faulty) RenameNew(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	if !d.plain {
		return d.disk.RenameNew(from, to)
	}
	// As in rootDisk.
	if err := d.disk.(rootDisk).Link(from, to); err == nil {
		_ = d.Remove(from)
		return nil
	} else if errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := d.disk.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return d.disk.Rename(from, to)
}

func (d *faulty) RemoveDir(name string) error {
	return d.then(func() error { return d.disk.RemoveDir(name) })
}

func (d *faulty) Mkdir(name string, mode fs.FileMode) error {
	return d.then(func() error { return d.disk.Mkdir(name, mode) })
}

func (d *faulty) Rename(from, to string) error {
	return d.then(func() error { return d.disk.Rename(from, to) })
}

func (d *faulty) Remove(name string) error {
	return d.then(func() error { return d.disk.Remove(name) })
}

type faultyFile struct {
	file
	disk *faulty
}

func (f *faultyFile) Write(b []byte) (int, error) {
	n, err := f.file.Write(b[:len(b)/2])
	if err = errors.Join(err, f.disk.step()); err != nil {
		return n, err
	}
	more, err := f.file.Write(b[len(b)/2:])
	return n + more, err
}

func (f *faultyFile) Chmod(mode fs.FileMode) error {
	return errors.Join(f.disk.step(), f.file.Chmod(mode))
}
func (f *faultyFile) Close() error { return errors.Join(f.file.Close(), f.disk.step()) }
