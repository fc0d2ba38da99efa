package controlplane

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"

	"github.com/crdctl/crdctl/internal/scratch"
)

// socketLimit is the longest path that a unix socket may have on every system (104 bytes with the final NUL
// on macOS; Linux has 108).
const socketLimit = 103

// workspace is the part of the file system that one control plane owns, and the locks that say so.
type workspace struct {
	data      string               // etcd's data, secrets, a kubeconfig
	private   *scratch.Dir         // sockets; always new, always temporary
	temporary bool                 // data is private
	lock      *fileutil.LockedFile // of data, where that is not private
}

// openWorkspace locks dir, creating it first, and makes the private directory; with dir == "" the two are
// one. Sockets never go into dir, whose path may be too long for them.
func openWorkspace(dir string) (*workspace, error) {
	w := &workspace{data: dir}
	if dir != "" {
		lock, err := lockState(dir)
		if err != nil {
			return nil, err
		}
		w.lock = lock
	}
	private, err := scratch.NewRun()
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	w.private = private
	if dir == "" {
		w.data, w.temporary = private.Path, true
	}
	if len(w.clientSocket()) > socketLimit {
		err := fmt.Errorf("the path %s is too long for a unix socket; set TMPDIR to a shorter directory", w.clientSocket())
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// ours are the files of a state directory; package background has its own there.
var ours = []string{"etcd", "secrets", kubeconfigName, "lock", ".gitignore", "process", "log"}

// checkState refuses a directory that is somebody else's: it would be closed to others, and one day removed.
func checkState(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read state directory: %w; choose another", err)
	}
	for _, e := range entries {
		if !slices.Contains(ours, e.Name()) && !strings.HasPrefix(e.Name(), "."+kubeconfigName) {
			return fmt.Errorf("%s has other things in it (%s); choose a directory that is empty or not there", dir, e.Name())
		}
	}
	return nil
}

func lockState(dir string) (*fileutil.LockedFile, error) {
	if err := checkState(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create state directory: %w; choose one that can be written", err)
	}
	// MkdirAll leaves a directory that exists as it is, and the data is readable to whoever may enter.
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, fmt.Errorf("close state directory to others: %w", err)
	}
	// It may be in a repository, and has credentials.
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o644); err != nil {
		return nil, fmt.Errorf("write to state directory: %w", err)
	}
	lock, err := fileutil.TryLockFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fileutil.ErrLocked) {
		// etcd would wait for ever here.
		return nil, fmt.Errorf("%s is in use by another control plane; stop that one or choose another directory", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock state directory: %w", err)
	}
	return lock, nil
}

func (w *workspace) secrets() string      { return filepath.Join(w.data, "secrets") }
func (w *workspace) etcdDir() string      { return filepath.Join(w.data, "etcd") }
func (w *workspace) clientSocket() string { return filepath.Join(w.private.Path, "c.sock") }
func (w *workspace) peerSocket() string   { return filepath.Join(w.private.Path, "p.sock") }

// close removes what is temporary and gives the locks up.
func (w *workspace) close() error {
	var errs []error
	if w.private != nil {
		errs = append(errs, w.private.Remove())
	}
	if w.lock != nil {
		errs = append(errs, w.lock.Close())
	}
	return errors.Join(errs...)
}
