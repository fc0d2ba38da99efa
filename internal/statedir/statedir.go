// Package statedir is the folder .crdctl of a project: what a running control plane leaves for others to find it by.
//
// It is there while something runs, and gone afterwards, unless a control plane keeps its data in it (package background).
// Nothing in it is a setting.
package statedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
)

// Name is the folder's name, in the project's root.
const Name = ".crdctl"

const (
	lockName   = "lock"
	ignoreName = ".gitignore"
	// clusterName is the folder of the control plane that runs in the background.
	clusterName = "cluster"
)

// ErrRunning is the error of a folder that a running crdctl has.
var ErrRunning = errors.New("crdctl run is running for this project already; stop it first, or use what it serves with \"crdctl kubectl\"")

// Dir is a folder that this process has for itself.
type Dir struct {
	path string
	// parent is the project's folder, and folder the one in it, also when they are moved.
	parent, folder *os.Root
	lock           *fileutil.LockedFile
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
			return nil, fmt.Errorf("make the folder for the state of a run: %w; make room for it there", err)
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
		if d.parent, err = os.OpenRoot(root); err == nil {
			d.folder, err = os.OpenRoot(d.path)
		}
		if err != nil {
			return nil, errors.Join(err, lock.Close())
		}
		if err := ignore(d.path); err != nil {
			return nil, errors.Join(err, d.Release())
		}
		return d, nil
	}
}

// Cluster is where the control plane that runs in the background keeps what it has.
func Cluster(root string) string { return filepath.Join(root, Name, clusterName) }

// MakeCluster makes the folder of Cluster, and those above it.
func MakeCluster(root string) error {
	if err := os.MkdirAll(Cluster(root), 0o700); err != nil {
		return fmt.Errorf("make the folder of the control plane: %w; make room for it there", err)
	}
	return ignore(filepath.Join(root, Name))
}

// RemoveCluster removes it, and the folder above it if nothing else is there.
func RemoveCluster(root string) error {
	if err := os.RemoveAll(Cluster(root)); err != nil {
		return err
	}
	dir := filepath.Join(root, Name)
	if _, err := os.Stat(filepath.Join(dir, lockName)); err == nil {
		return nil // a run has it
	}
	return errors.Join(unlessGone(os.Remove(filepath.Join(dir, ignoreName))), unlessFull(os.Remove(dir)))
}

// Release removes the folder, less the control plane that runs in the background, wherever the project is by now.
func (d *Dir) Release() error {
	defer func() { _, _ = d.parent.Close(), d.folder.Close() }()
	entries, err := fs.ReadDir(d.folder.FS(), ".")
	if err != nil {
		return errors.Join(err, d.lock.Close())
	}
	var errs []error
	kept := false
	for _, e := range entries {
		switch e.Name() {
		case clusterName:
			kept = true
		case lockName, ignoreName:
		default:
			errs = append(errs, d.folder.RemoveAll(e.Name()))
		}
	}
	if !kept {
		errs = append(errs, unlessGone(d.folder.Remove(ignoreName)))
	}
	errs = append(errs, unlessGone(d.folder.Remove(lockName)))
	// A link to a folder elsewhere is the user's.
	if info, err := d.parent.Lstat(Name); err == nil && info.IsDir() && !kept {
		errs = append(errs, unlessFull(d.parent.Remove(Name)))
	}
	return errors.Join(append(errs, d.lock.Close())...)
}

func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// unlessFull passes over the error of a folder that somebody else has put something into meanwhile.
func unlessFull(err error) error {
	if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) {
		return nil
	}
	return unlessGone(err)
}

// ignore has git pass over the folder wherever it is: the project's own .gitignore need not know.
func ignore(dir string) error {
	return os.WriteFile(filepath.Join(dir, ignoreName), []byte("*\n"), 0o644)
}

func (d *Dir) lockFile() string { return filepath.Join(d.path, lockName) }

// current tells whether the locked file is still the one at its path.
func (d *Dir) current() bool {
	held, err1 := d.lock.Stat()
	there, err2 := os.Stat(d.lockFile())
	return err1 == nil && err2 == nil && os.SameFile(held, there)
}
