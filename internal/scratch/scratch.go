// Package scratch makes temporary folders that are not left behind for ever: each holds a lock that its owner's end
// gives up, however it ends, and a sweep removes the folders whose lock nobody holds.
//
// It knows nothing of what is in the folders.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
)

// RunPrefix begins the names of the folders of a run in the system's temporary folder: sockets, keys, binaries.
const RunPrefix = "crdctl-run-"

const (
	lockName = "lock"
	// birthTime is how long a folder may exist before its lock does.
	birthTime = time.Minute
	// birthTries is how many folders in a row may be lost to a Sweep that met them at birth.
	birthTries = 100
)

// Dir is a temporary folder of this process.
type Dir struct {
	// Path is the folder. The file lock in it is taken.
	Path string
	lock *fileutil.LockedFile
}

// New makes a folder in parent, 0700, whose name begins with prefix, and takes its lock. Between the birth of the lock
// file and the lock, a Sweep of another process may take both; then it tries again under another name.
func New(parent, prefix string) (*Dir, error) {
	var last error
	for range birthTries {
		path, err := os.MkdirTemp(parent, prefix+"*")
		if err != nil {
			return nil, fmt.Errorf("make a temporary folder: %w", err)
		}
		d := &Dir{Path: path}
		d.lock, err = fileutil.TryLockFile(d.lockFile(), os.O_CREATE|os.O_RDWR, 0o600)
		if errors.Is(err, fileutil.ErrLocked) {
			last = err
			continue
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("lock a temporary folder: %w", err), os.RemoveAll(path))
		}
		held, err := d.lock.Stat()
		if err == nil {
			if present, err := os.Stat(d.lockFile()); err == nil && os.SameFile(held, present) {
				return d, nil
			}
		}
		last = errors.Join(err, d.lock.Close())
	}
	return nil, fmt.Errorf("lock a temporary folder in %s: %w", parent, last)
}

func (d *Dir) lockFile() string { return filepath.Join(d.Path, lockName) }

// NewRun makes a folder of a run where the system has such, and sweeps away those that killed runs left.
func NewRun() (*Dir, error) {
	// They cost disk space only, so trouble with them must not stop this run.
	_ = Sweep(os.TempDir(), RunPrefix)
	d, err := New(os.TempDir(), RunPrefix)
	if err != nil {
		return nil, fmt.Errorf("%w; set TMPDIR to a folder that can be written", err)
	}
	return d, nil
}

// Remove removes the folder and gives up the lock, in this order: a folder without a lock is anybody's to sweep.
func (d *Dir) Remove() error {
	return errors.Join(remove(d.Path), d.lock.Close())
}

// Leave gives up the lock and leaves the directory to the next sweep.
func (d *Dir) Leave() error { return d.lock.Close() }

// remove removes a folder, its lock file last: whoever is killed on the way leaves a folder that the next sweep knows.
func remove(dir string) error {
	if err := removeContents(dir); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// removeContents removes all but the lock file.
func removeContents(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.Name() == lockName {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// Sweep removes the folders in parent whose names begin with prefix and whose owners have ended.
func Sweep(parent, prefix string) error {
	return SweepAfter(parent, prefix, func(string) error { return nil })
}

// SweepAfter is Sweep that first has something done about each directory, whose lock is held meanwhile. An error leaves the
// directory as it is.
func SweepAfter(parent, prefix string, do func(dir string) error) error {
	dirs, err := os.ReadDir(parent)
	if err != nil {
		return fmt.Errorf("sweep %s: %w", parent, err)
	}
	var errs []error
	for _, d := range dirs {
		if d.IsDir() && strings.HasPrefix(d.Name(), prefix) {
			errs = append(errs, sweep(filepath.Join(parent, d.Name()), do))
		}
	}
	return errors.Join(errs...)
}

func sweep(dir string, do func(string) error) error {
	lock, err := fileutil.TryLockFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
	switch {
	case errors.Is(err, fileutil.ErrLocked), errors.Is(err, fs.ErrPermission): // alive, or another user's
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return sweepUnlocked(dir)
	case err != nil:
		return fmt.Errorf("sweep %s: %w", dir, err)
	}
	if err = do(dir); err == nil {
		err = remove(dir)
	}
	if err := errors.Join(err, lock.Close()); err != nil { // in this order: the lock guards the removal
		return fmt.Errorf("sweep %s: %w", dir, err)
	}
	return nil
}

// sweepUnlocked removes a folder whose owner was killed before it made the lock. It may as well be about to make it,
// hence the age; and it holds nothing, hence Remove.
func sweepUnlocked(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || time.Since(info.ModTime()) < birthTime {
		return nil // being born, or swept by somebody else
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("sweep %s: %w", dir, err)
	}
	return nil
}
