package statedir

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
	// HolderName is the file that the process of a control plane in the background locks, and LogName what it says.
	HolderName = "process"
	LogName    = "log"
	// markName is the file by which a directory is known as one that crdctl made for a control plane.
	markName = ".crdctl-data"
	mark     = "The data of a control plane of crdctl. Without this file, crdctl does not take the directory for its own.\n"
)

var (
	// dataFiles and dataDirs are what crdctl makes in a data directory.
	dataFiles = []string{markName, ignoreName, lockName, KubeconfigName, HolderName, LogName}
	dataDirs  = []string{etcdName, secretsName}
	// secretNames are the files of secretsName.
	secretNames = []string{"tokens.csv", "ca.crt", "tls.crt", "tls.key", "service-account.key"}
)

// OpenData opens the directory of a control plane's data, and creates it if it does not exist. One that is neither empty nor
// crdctl's is refused, and not changed.
func OpenData(path string) (*safefs.Dir, error) { return openData(path, safefs.Trusted()) }

func openData(path string, owners safefs.Owners) (*safefs.Dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("create data directory: %w; choose one that can be written", err)
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
	entries, err := dir.Entries()
	if err != nil {
		return fmt.Errorf("read data directory: %w; choose another", err)
	}
	if err := checkData(dir); err != nil {
		return withHint(err)
	}
	if len(entries) > 0 {
		if name := foreign(dir, entries); name != "" {
			return fmt.Errorf("%s is not empty, and crdctl did not make it (found %s); use an empty or new directory", dir.Path(), name)
		}
	}
	if err := dir.Private(); err != nil { // the data is readable to whoever may enter
		return fmt.Errorf("close data directory to others: %w", err)
	}
	if content, err := dir.Read(markName, fileLimit); err != nil || string(content) != mark {
		if err := dir.Write(markName, []byte(mark)); err != nil {
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
		_ = sub.Close() // it was only looked at
	}
	return nil
}

// foreign returns the name of an entry that shows that crdctl did not make a directory, or "". Versions that had no mark yet
// made a .gitignore and an empty lock first of all, and nothing but the names below.
func foreign(dir *safefs.Dir, entries []fs.DirEntry) string {
	if _, err := dir.Stat(markName); err == nil {
		return ""
	}
	known := slices.Concat(dataFiles, dataDirs)
	for _, e := range entries {
		if !slices.Contains(known, e.Name()) && !isTemporary(dataFiles, e.Name()) {
			return e.Name()
		}
	}
	if content, err := dir.Read(ignoreName, fileLimit); err != nil || string(content) != "*\n" {
		return entries[0].Name()
	}
	if info, err := dir.Stat(lockName); err != nil || info.Size() > 0 {
		return entries[0].Name()
	}
	for name, inside := range map[string][]string{etcdName: {"member"}, secretsName: secretNames} {
		if found := other(dir, name, inside); found != "" {
			return filepath.Join(name, found)
		}
	}
	return ""
}

// other returns an entry of a directory that is not one of the names.
func other(dir *safefs.Dir, name string, names []string) string {
	sub, err := dir.Sub(name)
	if err != nil {
		return "" // it does not exist, see checkData
	}
	defer func() { _ = sub.Close() }()
	entries, err := sub.Entries()
	if err != nil {
		return "."
	}
	for _, e := range entries {
		if !slices.Contains(names, e.Name()) && !isTemporary(names, e.Name()) {
			return e.Name()
		}
	}
	return ""
}

// LockData locks a data directory for this process. The error of one that is in use is safefs.ErrLocked.
func LockData(dir *safefs.Dir) (*os.File, error) { return dir.Lock(lockName) }

// Cluster is where the control plane that runs in the background keeps what it has.
func Cluster(root string) string { return filepath.Join(root, Name, clusterName) }

// OpenCluster opens the directory of Cluster. The error of one that does not exist is fs.ErrNotExist.
func OpenCluster(root string) (*safefs.Dir, error) {
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

// MakeCluster makes the directory of Cluster, and those above it, and opens it.
func MakeCluster(root string) (*safefs.Dir, error) {
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
		return nil, errors.Join(err, cluster.Close())
	}
	if err := ignore(dir); err != nil {
		return nil, errors.Join(err, cluster.Close())
	}
	return cluster, nil
}

// RemoveCluster removes what crdctl made there, and the directories if nothing else is in them.
func RemoveCluster(root string) error {
	cluster, err := OpenCluster(root)
	if err != nil {
		return err
	}
	defer func() { _ = cluster.Close() }()
	if err := claim(cluster); err != nil {
		return err
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
