// SPDX-License-Identifier: Apache-2.0

// Package tempdir makes temporary directories that are not left behind for ever: each holds a lock that its owner's end
// gives up, however it ends, and a sweep removes the directories whose lock no process holds.
//
// It knows nothing of what is in the directories. Those of other users it leaves alone.
package tempdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
)

// RunPrefix begins the names of the directories of a run in the system's temporary directory: sockets, keys, binaries.
const RunPrefix = "crdctl-run-"

// LockName is the file that is in every directory.
const LockName = "lock"

const (
	// birthTries is how many directories in a row may be lost to a Sweep that met them at birth.
	birthTries = 100
)

// Dir is a temporary directory of this process.
type Dir struct {
	// Path is the directory. The file lock in it is taken.
	Path        string
	parent, dir *safefs.Dir
	lock        *os.File
}

// New makes a directory in parent, 0700, whose name begins with prefix, and takes its lock. Between the birth of the lock
// file and the lock, a Sweep of another process may take both; then it tries again under another name.
func New(parent, prefix string) (*Dir, error) {
	in, err := safefs.Anchor(parent, safefs.Self())
	if err != nil {
		return nil, fmt.Errorf("make a temporary directory: %w", err)
	}
	for range birthTries {
		var dir *safefs.Dir
		var lock *os.File
		if dir, err = in.MakeTemp(prefix); errors.Is(err, fs.ErrNotExist) {
			continue // swept already
		} else if err != nil {
			return nil, errors.Join(fmt.Errorf("make a temporary directory: %w", err), in.Close())
		}
		if lock, err = dir.Lock(LockName); err == nil && dir.Holds(LockName, lock) {
			return &Dir{Path: dir.Path(), parent: in, dir: dir, lock: lock}, nil
		}
		if lock != nil {
			_ = lock.Close() // of a file that was swept
		}
		_ = dir.Close()
		if err != nil && !errors.Is(err, safefs.ErrLocked) && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(fmt.Errorf("lock a temporary directory: %w", err), in.Remove(filepath.Base(dir.Path())), in.Close())
		}
	}
	return nil, errors.Join(fmt.Errorf("lock a temporary directory in %s: %w", parent, err), in.Close())
}

// NewRun makes a directory of a run where the system has such, and sweeps away those that killed runs left.
func NewRun() (*Dir, error) {
	// They cost disk space only, so trouble with them must not stop this run.
	_ = Sweep(os.TempDir(), RunPrefix)
	d, err := New(os.TempDir(), RunPrefix)
	if err != nil {
		return nil, fmt.Errorf("%w; set TMPDIR to a writable directory", err)
	}
	return d, nil
}

// Write puts a file into the directory, as a whole.
func (d *Dir) Write(name string, data []byte) error { return d.dir.Write(name, data) }

// Mark returns the mark of the processes that belong to a directory of a run, see proc.Options: the sweep of the directory ends them.
func Mark(dir string) string { return filepath.Base(dir) }

// RunOf returns the directory of a run that a path is in, or "".
func RunOf(path string) string {
	for ; path != filepath.Dir(path); path = filepath.Dir(path) {
		if strings.HasPrefix(filepath.Base(path), RunPrefix) {
			return path
		}
	}
	return ""
}

// Remove removes the directory and gives up the lock, in this order: any process may sweep one without a lock.
func (d *Dir) Remove() error {
	return errors.Join(remove(d.parent, d.dir, filepath.Base(d.Path)), d.Leave())
}

// Leave gives up the lock and leaves the directory to the next sweep.
func (d *Dir) Leave() error { return errors.Join(d.lock.Close(), d.dir.Close(), d.parent.Close()) }

// remove removes a directory, its lock file last: one whose removal is interrupted is known to the next sweep.
func remove(parent, dir *safefs.Dir, name string) error {
	if err := removeContents(dir); err != nil {
		return err
	}
	return errors.Join(dir.Remove(LockName), parent.Remove(name))
}

// removeContents removes all but the lock file. It goes by the open directory: another one in its place is not touched.
func removeContents(dir *safefs.Dir) error {
	entries, err := dir.Entries()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.Name() == LockName {
			continue
		}
		if err := dir.RemoveAll(e.Name()); err != nil {
			return err
		}
	}
	return nil
}
