package run

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
)

// quiet is how long nothing must change until a change is followed: an editor, or a generator, writes many files.
const quiet = 100 * time.Millisecond

// change is what happened since the last one.
type change struct {
	sources   bool // what the controller is built from
	manifests bool
	files     []string // the sources, slash-separated, relative to the root
}

// api tells whether a hand-written source below one of the folders changed.
func (c change) api(folders []string) bool {
	return slices.ContainsFunc(c.files, func(file string) bool {
		if strings.HasPrefix(filepath.Base(file), "zz_generated.") || strings.HasSuffix(file, "_test.go") {
			return false
		}
		return slices.ContainsFunc(folders, func(dir string) bool { return dir == "." || strings.HasPrefix(file, dir+"/") })
	})
}

// watcher watches the sources and manifests of a project.
type watcher struct {
	root    string
	crds    string // the folder of the manifests, slash-separated, relative to the root; "" for none
	notify  *fsnotify.Watcher
	changes chan change
	errors  chan error
	done    chan struct{}
	stopped chan struct{}
}

func newWatcher(root, crds string) (*watcher, error) {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", root, err)
	}
	w := &watcher{root: root, crds: crds, notify: n, changes: make(chan change), errors: make(chan error, 1), done: make(chan struct{}), stopped: make(chan struct{})}
	if err := w.add(root); err != nil {
		return nil, errors.Join(fmt.Errorf("watch %s: %w", root, err), n.Close())
	}
	go w.collect()
	return w, nil
}

func (w *watcher) close() {
	close(w.done)
	<-w.stopped
	_ = w.notify.Close()
}

// add watches a folder and those below it.
func (w *watcher) add(dir string) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // gone again
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case p != w.root && ignored(d.Name()):
			return fs.SkipDir
		}
		return w.notify.Add(p)
	})
}

func ignored(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") || slices.Contains([]string{"vendor", "node_modules", "bin", "testdata"}, folder)
}

// collect gathers what changes until it is quiet, and hands it on as one.
func (w *watcher) collect() {
	defer close(w.stopped)
	var pending change
	var out chan change // set once it is quiet
	timer := time.NewTimer(0)
	<-timer.C
	for {
		select {
		case <-w.done:
			return
		case err := <-w.notify.Errors:
			w.errors <- fmt.Errorf("watch %s: %w", w.root, err)
			return
		case e := <-w.notify.Events:
			if w.note(&pending, e) {
				out = nil
				timer.Reset(quiet)
			}
		case <-timer.C:
			out = w.changes
		case out <- pending:
			pending, out = change{}, nil
		}
	}
}

// note adds an event to a change, and tells whether it means anything.
func (w *watcher) note(c *change, e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	rel, err := filepath.Rel(w.root, e.Name)
	if err != nil {
		return false
	}
	if info, err := os.Stat(e.Name); err == nil && info.IsDir() {
		if !ignored(info.Name()) {
			_ = w.add(e.Name) // what can't be watched is said for the next file in it
		}
		return false
	}
	rel = filepath.ToSlash(rel)
	base := filepath.Base(rel)
	switch {
	case strings.HasPrefix(base, "."):
		return false
	case strings.HasSuffix(base, ".go"), base == "go.mod", base == "go.sum":
		c.sources = true
		c.files = append(c.files, rel)
	case w.crds != "" && strings.HasPrefix(rel, path.Clean(w.crds)+"/"):
		c.manifests = true
	default:
		return false
	}
	return true
}
