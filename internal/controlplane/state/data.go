// SPDX-License-Identifier: Apache-2.0

package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/crdctl/crdctl/internal/safefs"
)

const (
	etcdName    = "etcd"
	secretsName = "secrets"
	// HolderName is the file that the process of a control plane in the background locks.
	HolderName = "process"
	// LogName is the file with the output of that process.
	LogName = "log"
	// markName is the file by which a directory is known as one that crdctl made for a control plane: see sign.
	markName = ".crdctl-data"
)

var (
	// dataFiles and dataDirs are what crdctl makes in a data directory.
	dataFiles = []string{markName, ignoreName, lockName, KubeconfigName, HolderName, LogName}
	dataDirs  = []string{etcdName, secretsName}
)

// OpenData opens the directory of a control plane's data, and creates it if it does not exist. One that is neither empty nor
// crdctl's is refused, and not changed.
func OpenData(path string) (*safefs.Dir, error) { return openData(path, safefs.Trusted()) }

func openData(path string, owners safefs.Owners) (*safefs.Dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("create data directory: %w; choose a writable one", err)
	}
	dir, err := safefs.Anchor(path, owners)
	if err != nil {
		return nil, fmt.Errorf("open data directory: %w; choose another", err)
	}
	info, err := dir.Root().Stat(".")
	if err == nil {
		err = owners.Check(path, info)
	}
	if err == nil {
		err = claim(dir)
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// claim marks a directory as crdctl's, and closes it to other users, once it is known not to be anything else.
func claim(dir *safefs.Dir) error {
	if err := checkData(dir); err != nil {
		return withHint(err)
	}
	found, err := foreign(dir)
	if err != nil {
		return err
	}
	if found != "" {
		return &foreignError{dir.Path(), found}
	}
	if err := dir.Private(); err != nil { // users who may enter can read the data
		return fmt.Errorf("close data directory to others: %w", err)
	}
	if !signed(dir) {
		if err := sign(dir); err != nil {
			return fmt.Errorf("write to data directory: %w", err)
		}
	}
	return ignore(dir) // it may be in a repository, and has credentials
}

// checkData refuses links, special files and files of other users where crdctl's own would be.
func checkData(dir *safefs.Dir) error {
	for _, name := range dataFiles {
		if _, err := dir.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, name := range dataDirs {
		sub, err := dir.Sub(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		if name == secretsName {
			err = checkEntries(sub)
		}
		if err := errors.Join(err, sub.Close()); err != nil {
			return err
		}
	}
	return nil
}

func checkEntries(dir *safefs.Dir) error {
	entries, err := dir.Entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, err := dir.Stat(e.Name()); err != nil {
			return err
		}
	}
	return nil
}

// LockData locks a data directory for this process. The error of one that is in use is safefs.ErrLocked.
func LockData(dir *safefs.Dir) (*os.File, error) { return dir.Lock(lockName) }

// Cluster is where the control plane that runs in the background keeps what it has.
func Cluster(root string) string { return filepath.Join(root, Name, clusterName) }

// OpenCluster opens the directory of Cluster. The error of one that does not exist is fs.ErrNotExist. One that crdctl did not
// make for this user, or that others can enter, is refused: the author of its data would be its administrator.
func OpenCluster(root string) (*safefs.Dir, error) {
	cluster, err := openCluster(root)
	if err != nil {
		return nil, err
	}
	if err := checkCluster(cluster); err != nil {
		return nil, errors.Join(err, cluster.Close())
	}
	return cluster, nil
}

// openCluster is OpenCluster of any directory.
func openCluster(root string) (*safefs.Dir, error) {
	dir, err := open(root)
	if isNotThere(err) {
		return nil, fs.ErrNotExist
	} else if err != nil {
		return nil, withHint(err)
	}
	defer func() { _ = dir.Close() }()
	cluster, err := dir.Sub(clusterName)
	return cluster, withHint(err)
}

func checkCluster(cluster *safefs.Dir) error {
	if err := checkData(cluster); err != nil {
		return withHint(err)
	}
	found, err := foreign(cluster)
	switch {
	case err != nil:
		return err
	case found != "":
		return resetHint(&foreignError{cluster.Path(), found})
	case !signed(cluster):
		return fs.ErrNotExist // it is being made
	}
	shared, err := cluster.Shared()
	if err == nil && shared {
		err = fmt.Errorf("%s contains credentials and is accessible to other users; run \"chmod 700\" on it", cluster.Path())
	}
	return err
}

// CreateCluster makes the directory of Cluster, and those above it, and opens it.
func CreateCluster(root string) (*safefs.Dir, error) {
	parent, err := safefs.Anchor(root, safefs.TrustedIn(root, Name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = parent.Close() }()
	dir, err := parent.Make(Name)
	if err != nil {
		return nil, fmt.Errorf("make the directory of the control plane: %w", withHint(err))
	}
	defer func() { _ = dir.Close() }()
	if err := checkFiles(dir); err != nil {
		return nil, err
	}
	cluster, err := dir.Make(clusterName)
	if err != nil {
		return nil, withHint(err)
	}
	if err := claim(cluster); err != nil {
		return nil, errors.Join(resetHint(err), cluster.Close())
	}
	if err := ignore(dir); err != nil {
		return nil, errors.Join(err, cluster.Close())
	}
	return cluster, nil
}

// RemoveCluster removes what has the names that crdctl uses there, and the directories if nothing else is in them. It also
// removes what crdctl did not make, unless a process holds a lock in it.
func RemoveCluster(root string) error {
	cluster, err := openCluster(root)
	if err != nil {
		return err
	}
	defer func() { _ = cluster.Close() }()
	if err := checkData(cluster); err != nil {
		return withHint(err)
	}
	for _, name := range []string{HolderName, lockName} {
		if locked, err := cluster.Locked(name); err != nil {
			return withHint(err)
		} else if locked {
			return fmt.Errorf("%s is locked by a process; stop it first", cluster.Join(name))
		}
	}
	entries, err := cluster.Entries()
	if err != nil {
		return err
	}
	// The mark last: after an interrupted reset the rest is still known to be crdctl's.
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == markName:
		case slices.Contains(dataDirs, name):
			err = errors.Join(err, cluster.RemoveAll(name))
		case slices.Contains(dataFiles, name) || isTemporary(dataFiles, name):
			err = errors.Join(err, cluster.Remove(name))
		}
	}
	if err != nil {
		return err
	}
	dir, err := open(root)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if err := errors.Join(cluster.Remove(markName), unlessFull(dir.Remove(clusterName))); err != nil {
		return err
	}
	if _, err := dir.Lstat(lockName); err == nil {
		return nil // a run has it
	}
	if left, err := dir.Entries(); err != nil || slices.ContainsFunc(left, func(e fs.DirEntry) bool { return e.Name() != ignoreName }) {
		return err
	}
	parent, err := safefs.Anchor(root, safefs.TrustedIn(root, Name))
	if err != nil {
		return err
	}
	defer func() { _ = parent.Close() }()
	return errors.Join(dir.Remove(ignoreName), unlessFull(parent.Remove(Name)))
}
