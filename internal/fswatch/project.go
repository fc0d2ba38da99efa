// SPDX-License-Identifier: Apache-2.0

// Package fswatch reports changes of files, once they are quiet again, by the events of fsnotify.
//
// A Watcher (project.go) follows the sources of a project, where every event counts and names a file. FileWatcher (files.go) follows
// the state of a few files, such as a hook's program: they may be in a directory where others write all the time, or be swapped by a
// symbolic link, as the kubelet does with ConfigMaps. Moved looks whether directories are still in their place.
//
// It does not know what a change asks for, and it reads no file.
package fswatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/crdctl/crdctl/internal/text"
)

// quiet is how long nothing must change until a change is followed: an editor, or a generator, writes many files.
// Who follows a change may be told of the next one while at it, so it need not be long.
const quiet = 30 * time.Millisecond

// Change is what happened since the last one.
type Change struct {
	// Sources are the files that the controller is built from, slash-separated, relative to the root.
	Sources []string
	// Manifests are the files that were named as manifests, or are in a directory that was, in the form of Sources.
	Manifests []string
	// Settings reports whether one of the files that the caller named as settings changed.
	Settings bool
	// All tells that any file may have changed: there were more changes than the system can tell.
	All bool
}

// IsZero reports whether nothing happened.
func (c Change) IsZero() bool {
	return len(c.Sources) == 0 && len(c.Manifests) == 0 && !c.Settings && !c.All
}

// Add is both changes as one.
func (c Change) Add(other Change) Change {
	return Change{
		Sources: append(slices.Clone(c.Sources), other.Sources...), Manifests: append(slices.Clone(c.Manifests), other.Manifests...),
		Settings: c.Settings || other.Settings, All: c.All || other.All,
	}
}

// Below reports whether a manifest at or below one of the paths changed.
func (c Change) Below(paths ...string) bool {
	return c.All || slices.ContainsFunc(c.Manifests, func(file string) bool {
		return slices.ContainsFunc(paths, func(p string) bool { return text.Below(p, file) })
	})
}

// In reports whether a hand-written source below one of the directories changed.
func (c Change) In(dirs []string) bool {
	return c.All || slices.ContainsFunc(c.Sources, func(file string) bool {
		if strings.HasPrefix(filepath.Base(file), "zz_generated.") || strings.HasSuffix(file, "_test.go") {
			return false
		}
		return slices.ContainsFunc(dirs, func(dir string) bool { return text.Below(dir, file) })
	})
}

// Watcher watches the sources and manifests of a project.
type Watcher struct {
	// Changes hands out a change when nothing has changed for a moment. What happens until it is taken is added to it.
	Changes <-chan Change
	// Errors hands out why the watching ended.
	Errors <-chan error

	root      string
	manifests []string // slash-separated, relative to the root
	settings  []string
	notify    *fsnotify.Watcher
	dirs      map[string]bool // that are watched
	sources   map[string]bool // that have had sources
	done      chan struct{}
	stopped   chan struct{}
}

// New watches the Go files below root; the manifests, which are files, or directories with all that is in them, relative to root
// and slash-separated; and the files of the settings, which are named in the same way. Directories that the go command passes
// over are skipped, except those of the settings.
func New(root string, manifests []string, settings ...string) (*Watcher, error) {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", root, err)
	}
	changes, errs := make(chan Change), make(chan error, 1)
	w := &Watcher{Changes: changes, Errors: errs, root: root, manifests: manifests, settings: settings, notify: n, dirs: map[string]bool{}, sources: map[string]bool{}, done: make(chan struct{}), stopped: make(chan struct{})}
	if err := w.add(root); err != nil {
		return nil, errors.Join(fmt.Errorf("watch %s: %w", root, err), n.Close())
	}
	for _, m := range manifests {
		if err := w.addManifest(filepath.Join(root, filepath.FromSlash(m))); err != nil {
			return nil, errors.Join(fmt.Errorf("watch %s: %w", m, err), n.Close())
		}
	}
	for _, file := range settings {
		// A directory that does not exist yet cannot be watched; the caller says what is missing.
		_ = n.Add(filepath.Join(root, filepath.FromSlash(path.Dir(file))))
	}
	go w.collect(changes, errs)
	return w, nil
}

// Close ends the watching.
func (w *Watcher) Close() {
	close(w.done)
	<-w.stopped
	_ = w.notify.Close()
}

// addManifest watches a manifest, or a directory of them, also in a directory that is skipped. One that does not exist is
// not watched; the caller says what is missing.
func (w *Watcher) addManifest(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil
	case info.IsDir():
		return w.add(path)
	}
	w.dirs[filepath.Dir(path)] = true
	return w.notify.Add(filepath.Dir(path))
}

// add watches a directory and those below it.
func (w *Watcher) add(dir string) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // gone again
		case err != nil:
			return err
		case !d.IsDir():
			if isSource(d.Name()) {
				w.sources[filepath.Dir(p)] = true
			}
			return nil
		case p != dir && Ignored(d.Name()):
			return fs.SkipDir
		}
		w.dirs[p] = true
		return w.notify.Add(p)
	})
}

// Ignored reports whether a directory of this name is not followed, as the go command does not look into it.
func Ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || slices.Contains([]string{"vendor", "node_modules", "bin", "testdata"}, name)
}

// collect gathers what changes until it is quiet, and hands it on as one.
func (w *Watcher) collect(changes chan<- Change, errs chan<- error) {
	defer close(w.stopped)
	var pending Change
	var out chan<- Change // set once it is quiet
	timer := time.NewTimer(0)
	<-timer.C
	for {
		select {
		case <-w.done:
			return
		case err := <-w.notify.Errors:
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				pending = Change{Sources: []string{"go.mod"}, Settings: true, All: true}
				out = nil
				timer.Reset(quiet)
				continue
			}
			errs <- fmt.Errorf("watch %s: %w", w.root, err)
			return
		case e := <-w.notify.Events:
			if w.note(&pending, e) {
				out = nil
				timer.Reset(quiet)
			}
		case <-timer.C:
			out = changes
		case out <- pending:
			pending, out = Change{}, nil
		}
	}
}

// note adds an event to a change, and reports whether it means anything.
func (w *Watcher) note(c *Change, e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	info, err := os.Stat(e.Name)
	if err != nil && w.dirs[e.Name] { // a directory that is gone, with all that was in it
		_ = w.notify.Remove(e.Name) // of one that was only moved
		some := false
		for dir := range w.sources {
			if dir == e.Name || strings.HasPrefix(dir, e.Name+string(filepath.Separator)) {
				some = w.classify(c, filepath.Join(e.Name, "doc.go"))
				break
			}
		}
		some = w.classify(c, filepath.Join(e.Name, "doc.yaml")) || some
		delete(w.dirs, e.Name)
		return some
	}
	if err != nil || !info.IsDir() {
		return w.classify(c, e.Name)
	}
	if Ignored(info.Name()) {
		return false
	}
	_ = w.add(e.Name) // what cannot be watched is reported for the next file in it
	// What was put into the directory before it was watched is news too.
	some := false
	_ = filepath.WalkDir(e.Name, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			some = w.classify(c, p) || some
		}
		return nil
	})
	return some
}

// isSource reports whether a program is built from a file of this name.
func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") || name == "go.mod" || name == "go.sum"
}

// isManifest reports whether a file in a directory that has all of the project is a manifest: there are logs and recordings of a run, too.
func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name))
}

// classify adds a file to a change, and reports whether it means anything.
func (w *Watcher) classify(c *Change, file string) bool {
	rel, err := filepath.Rel(w.root, file)
	if err != nil {
		return false
	}
	rel = filepath.ToSlash(rel)
	base := path.Base(rel)
	switch {
	case slices.Contains(w.settings, rel):
		c.Settings = true
	case strings.HasPrefix(base, "."), !w.dirs[filepath.Dir(file)]: // a neighbor of a setting, in a skipped directory
		return false
	case isSource(base):
		w.sources[filepath.Dir(file)] = true
		c.Sources = append(c.Sources, rel)
	case slices.ContainsFunc(w.manifests, func(m string) bool { return text.Below(m, rel) && (m != "." || isManifest(base)) }):
		c.Manifests = append(c.Manifests, rel)
	default:
		return false
	}
	return true
}
