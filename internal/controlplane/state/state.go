// SPDX-License-Identifier: Apache-2.0

// Package state is the directory .crdctl of a project: what a running control plane leaves for others to find it by.
//
// It is there while something runs, and gone afterwards, unless a control plane keeps its data in it (package background).
// Nothing in it is a setting. A repository may have anything committed in it, so no link in it is followed, what belongs to
// other users is refused, and only files of the names below are ever removed.
package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/crdctl/crdctl/internal/safefs"
)

// Name is the directory's name, in the project's root.
const Name = ".crdctl"

const (
	// KubeconfigName is the credential for the control plane, in the directory and in that of Cluster.
	KubeconfigName = "kubeconfig"
	// RecordName is what a run says about itself.
	RecordName = "run"
	// controllerName is the directory with what a controller reads that the user starts: see MakeController.
	controllerName = "controller"
	lockName       = "lock"
	ignoreName     = ".gitignore"
	// clusterName is the directory of the control plane that runs in the background.
	clusterName = "cluster"
	// fileLimit is the largest file that is read.
	fileLimit = 1 << 20
	// takeTries is how often the directory may be removed by its holder just when it is opened.
	takeTries = 1000
)

// runNames are the files of a run.
var runNames = []string{KubeconfigName, RecordName, lockName, ignoreName}

// ErrRunning is the error of a directory that a running crdctl has.
var ErrRunning = errors.New("this project already has a running \"crdctl run\"; stop it first, or use its control plane with \"crdctl kubectl\"")

// Dir is a directory that this process has for itself.
type Dir struct {
	// parent is the project's directory, and dir the one in it, also when they are moved.
	parent, dir *safefs.Dir
	lock        *os.File
}

// Kubeconfig is where the kubeconfig of the project's control plane is, while it runs.
func Kubeconfig(root string) string { return filepath.Join(root, Name, KubeconfigName) }

// Open makes the directory and takes it for this process, until Release.
func Open(root string) (*Dir, error) { return openIn(root, safefs.TrustedIn(root, Name)) }

func openIn(root string, owners safefs.Owners) (*Dir, error) {
	parent, err := safefs.Anchor(root, owners)
	if err != nil {
		return nil, err
	}
	var d *Dir
	for range takeTries {
		// The holder before may just have removed it.
		if d, err = take(parent); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, parent.Close())
	}
	return d, nil
}

// take is Acquire, once. The holder removes the directory when it ends. One who opened the lock just before has locked a file
// that no process uses any more; the error is fs.ErrNotExist then.
func take(parent *safefs.Dir) (_ *Dir, err error) {
	dir, err := parent.Make(Name)
	if err != nil {
		return nil, withHint(err)
	}
	d := &Dir{parent: parent, dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	if err := checkFiles(dir); err != nil {
		return nil, err
	}
	shared, err := dir.Shared()
	if err != nil {
		return nil, err
	}
	d.lock, err = dir.Lock(lockName)
	switch {
	case errors.Is(err, safefs.ErrLocked) && shared:
		return nil, fmt.Errorf("%s is open to other users, and one of their processes may have locked it; remove it if no \"crdctl run\" runs for this project", dir.Path())
	case errors.Is(err, safefs.ErrLocked):
		return nil, ErrRunning
	case err != nil:
		return nil, withHint(err)
	case !dir.Holds(lockName, d.lock):
		return nil, fs.ErrNotExist
	}
	if shared { // others may have opened the lock, and could lock it later: the next try makes another
		if err := dir.Private(); err != nil {
			return nil, err
		}
		return nil, errors.Join(fs.ErrNotExist, dir.Remove(lockName))
	}
	// What a killed run left, or a repository has, must not count as this run's.
	if err := errors.Join(dir.Remove(KubeconfigName), dir.Remove(RecordName), dir.RemoveAll(controllerName)); err != nil {
		return nil, withHint(err)
	}
	return d, ignore(dir)
}

// checkFiles refuses what has the name of a file of crdctl's and is something else, before anything is done.
func checkFiles(dir *safefs.Dir) error {
	for _, name := range runNames {
		if _, err := dir.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return withHint(err)
		}
	}
	return nil
}

func (d *Dir) close() error {
	var err error
	if d.lock != nil {
		err = d.lock.Close()
	}
	return errors.Join(err, d.dir.Close())
}

// WriteRecord keeps what this run says about itself, for Record. It goes with the directory.
func (d *Dir) WriteRecord(data []byte) error {
	content, err := sealRecord(data)
	if err != nil {
		return err
	}
	return d.dir.Write(RecordName, content)
}

// MakeController makes a directory for the certificates and files of a controller that the user starts, and returns its path, which is
// the same in every run: the settings of an editor name it. It goes with the directory.
func (d *Dir) MakeController() (string, error) {
	dir, err := d.dir.Make(controllerName)
	if err != nil {
		return "", withHint(err)
	}
	return dir.Path(), dir.Close()
}

// Running reports whether a run holds the directory of the project in root. A run closes the directory to others: the lock of
// one that they can enter may be theirs.
func Running(root string) (bool, error) {
	dir, err := open(root)
	if isNotThere(err) {
		return false, nil
	} else if err != nil {
		return false, withHint(err)
	}
	defer func() { _ = dir.Close() }()
	locked, err := dir.Locked(lockName)
	if err != nil || !locked {
		return false, withHint(err)
	}
	shared, err := dir.Shared()
	return !shared, err
}

// Record is what the run of the project in root says about itself. Where there is none, the error is fs.ErrNotExist. What a run
// left that was killed counts only while Running.
func Record(root string) ([]byte, error) {
	content, err := read(root, RecordName)
	if err != nil {
		return nil, err
	}
	data, ok := unsealRecord(content)
	if !ok {
		return nil, fmt.Errorf("%s is not crdctl's own: it has no seal of this user; remove it", filepath.Join(root, Name, RecordName))
	}
	return data, nil
}

// ReadKubeconfig is the content of Kubeconfig, of any author: that of a run is there only after its Record, while Running.
func ReadKubeconfig(root string) ([]byte, error) { return read(root, KubeconfigName) }

// WriteKubeconfig replaces the content of Kubeconfig, where there is one.
func WriteKubeconfig(root string, data []byte) error {
	dir, err := open(root)
	if err != nil {
		return withHint(err)
	}
	defer func() { _ = dir.Close() }()
	if _, err := dir.Stat(KubeconfigName); err != nil {
		return withHint(err)
	}
	return dir.Write(KubeconfigName, data)
}

func read(root, name string) ([]byte, error) {
	dir, err := open(root)
	if err != nil {
		return nil, withHint(err)
	}
	defer func() { _ = dir.Close() }()
	data, err := dir.Read(name, fileLimit)
	return data, withHint(err)
}

// open opens the directory of a project if it exists.
func open(root string) (*safefs.Dir, error) {
	parent, err := safefs.Anchor(root, safefs.TrustedIn(root, Name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = parent.Close() }()
	return parent.Sub(Name)
}

// Release removes the files of this run, wherever the project is by now, and the directory if nothing else is in it, such as
// the control plane that runs in the background.
func (d *Dir) Release() error {
	defer func() { _ = d.parent.Close() }()
	entries, err := d.dir.Entries()
	if err != nil {
		return errors.Join(err, d.close())
	}
	var errs []error
	kept := false
	for _, e := range entries {
		switch name := e.Name(); {
		case name == lockName, name == ignoreName:
		case slices.Contains(runNames, name) || isTemporary(runNames, name):
			errs = append(errs, d.dir.Remove(name))
		case name == controllerName:
			errs = append(errs, d.dir.RemoveAll(name))
		default:
			kept = true
		}
	}
	if !kept {
		errs = append(errs, d.dir.Remove(ignoreName))
	}
	errs = append(errs, d.dir.Remove(lockName))
	// It may have been moved, and another be in its place.
	if here, err := d.dir.Root().Stat("."); err == nil && !kept {
		if there, err := d.parent.Lstat(Name); err == nil && os.SameFile(here, there) {
			errs = append(errs, unlessFull(d.parent.Remove(Name)))
		}
	}
	return errors.Join(append(errs, d.close())...)
}

// isTemporary reports whether a file is what an interrupted write of one of the names left.
func isTemporary(names []string, file string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(file, safefs.TempPrefix(name)) })
}

// unlessFull ignores the error of a directory in which another process has put something meanwhile.
func unlessFull(err error) error {
	if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) {
		return nil
	}
	return err
}

// isNotThere is also true of what would lie in a directory that is a file: who makes that directory says what is wrong with it.
func isNotThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// ignore has git ignore the directory wherever it is: the project's own .gitignore need not know.
func ignore(dir *safefs.Dir) error {
	const all = "*\n"
	if content, err := dir.Read(ignoreName, fileLimit); err == nil && string(content) == all {
		return nil
	}
	return withHint(dir.Write(ignoreName, []byte(all)))
}

// withHint ends an error with what to do about it.
func withHint(err error) error {
	if errors.Is(err, safefs.ErrLink) || errors.Is(err, safefs.ErrSpecial) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR) {
		return fmt.Errorf("%w; remove it: crdctl keeps its state in its own directory and files", err)
	}
	if owner, ok := errors.AsType[*safefs.OwnerError](err); ok {
		return fmt.Errorf("%w; remove it, or use a project that you own", owner)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w; crdctl keeps its state there: make it writable", err)
	}
	return err
}
