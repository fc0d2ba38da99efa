// Package statedir is the folder .crdctl of a project: what a running control plane leaves for others to find it by.
//
// It is there while something runs, and gone afterwards. Nothing in it is a setting, and nothing in it is kept.
package statedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
)

// Name is the folder's name, in the project's root.
const Name = ".crdctl"

// ErrRunning is the error of a folder that a running crdctl has.
var ErrRunning = errors.New("crdctl run is running for this project already; stop it first, or use what it serves with \"crdctl kubectl\"")

// Dir is a folder that this process has for itself.
type Dir struct {
	path string
	lock *fileutil.LockedFile
}

// Kubeconfig is where the kubeconfig of the project's control plane is, while it runs.
func Kubeconfig(root string) string { return filepath.Join(root, Name, "kubeconfig") }

// Acquire makes the folder and takes it for this process, until Release.
func Acquire(root string) (*Dir, error) {
	d := &Dir{path: filepath.Join(root, Name)}
	// The holder removes the folder when it ends. One who opened the lock just before has locked a file that is
	// nobody's any more, and tries again.
	for {
		if err := os.MkdirAll(d.path, 0o700); err != nil {
			return nil, fmt.Errorf("make the folder for the state of a run: %w", err)
		}
		if err := os.Chmod(d.path, 0o700); err != nil { // one that was there may be open to others
			return nil, err
		}
		lock, err := fileutil.TryLockFile(d.lockFile(), os.O_CREATE|os.O_WRONLY, 0o600)
		switch {
		case errors.Is(err, fileutil.ErrLocked):
			return nil, ErrRunning
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("lock %s: %w", d.lockFile(), err)
		}
		if d.lock = lock; !d.current() {
			_ = lock.Close()
			continue
		}
		// Ignored by git wherever it is: the project's own .gitignore need not know.
		if err := os.WriteFile(filepath.Join(d.path, ".gitignore"), []byte("*\n"), 0o644); err != nil {
			return nil, errors.Join(err, d.Release())
		}
		return d, nil
	}
}

// Release removes the folder.
func (d *Dir) Release() error {
	return errors.Join(os.RemoveAll(d.path), d.lock.Close())
}

func (d *Dir) lockFile() string { return filepath.Join(d.path, "lock") }

// current tells whether the locked file is still the one at its path.
func (d *Dir) current() bool {
	held, err1 := d.lock.Stat()
	there, err2 := os.Stat(d.lockFile())
	return err1 == nil && err2 == nil && os.SameFile(held, there)
}
