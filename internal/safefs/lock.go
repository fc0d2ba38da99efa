// SPDX-License-Identifier: Apache-2.0

package safefs

import (
	"errors"
	"io/fs"
	"os"
)

// ErrLocked is the error of a lock that another process holds.
var ErrLocked = errors.New("is locked by another process")

// TryLock takes a lock on an open file, which the end of the process or Close gives up. Any number of processes may share one.
func TryLock(f *os.File, shared bool) error { return tryLock(f, shared) }

// Lock creates a file if it does not exist, and locks it for this process alone. It does not wait: the error is ErrLocked.
func (d *Dir) Lock(name string) (*os.File, error) {
	return d.lock(name, os.O_CREATE|os.O_RDWR)
}

// LockExisting is Lock of a file that exists.
func (d *Dir) LockExisting(name string) (*os.File, error) {
	return d.lock(name, os.O_RDWR)
}

func (d *Dir) lock(name string, flag int) (*os.File, error) {
	f, err := d.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	if err := TryLock(f, false); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Locked reports whether another process holds the lock on a file. It writes nothing.
func (d *Dir) Locked(name string) (bool, error) {
	f, err := d.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	err = TryLock(f, true)
	if errors.Is(err, ErrLocked) {
		return true, nil
	}
	return false, err
}

// Holds reports whether an open file is still the one of that name.
func (d *Dir) Holds(name string, f *os.File) bool {
	held, err1 := f.Stat()
	present, err2 := d.Lstat(name)
	return err1 == nil && err2 == nil && os.SameFile(held, present)
}
