// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tempdir"
)

// socketLimit is the longest path that a unix socket may have on every system (104 bytes with the final NUL
// on macOS; Linux has 108).
const socketLimit = 103

// workspace is the part of the file system that one control plane owns, and the locks that say so.
type workspace struct {
	data      string       // etcd's data, secrets, a kubeconfig
	private   *tempdir.Dir // the socket of etcd; always new, always temporary
	temporary bool         // data is private
	lock      *os.File     // of data, where that is not private
}

// openWorkspace locks dir, creating it first, and makes the private directory; with dir == "" the two are
// one. Sockets never go into dir, whose path may be too long for them.
func openWorkspace(dir string) (*workspace, error) {
	w := &workspace{data: dir}
	if dir != "" {
		lock, err := lockData(dir)
		if err != nil {
			return nil, err
		}
		w.lock = lock
	}
	private, err := tempdir.NewRun()
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

func lockData(path string) (*os.File, error) {
	dir, err := state.OpenData(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	lock, err := state.LockData(dir)
	if errors.Is(err, safefs.ErrLocked) {
		// etcd would wait for ever here.
		return nil, fmt.Errorf("%s is in use by another control plane; stop that one or choose another directory", path)
	}
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	return lock, nil
}

func (w *workspace) secrets() string      { return filepath.Join(w.data, secretsDir) }
func (w *workspace) etcdDir() string      { return filepath.Join(w.data, "etcd") }
func (w *workspace) clientSocket() string { return filepath.Join(w.private.Path, "c.sock") }

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
