package fswatch

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"
)

const (
	// lookEvery is how often files are looked at. A change is reported when two looks in a row find the same: an editor writes in
	// several steps. Events would come sooner, but not for a file behind links that the kubelet swaps, nor for a directory that is replaced.
	lookEvery = 100 * time.Millisecond
	// missingLooks is how many looks in a row find a file missing before that is reported: an editor replaces files.
	missingLooks = 6
)

// State is what the file system has of the files that are watched.
type State struct {
	files   map[string]fs.FileInfo
	missing []string // perhaps only for the moment in which they are replaced
}

// Files looks at files by name. Symbolic links are followed.
func Files(paths ...string) func() State {
	return func() State {
		s := State{files: map[string]fs.FileInfo{}}
		for _, p := range paths {
			if info, err := os.Stat(p); err == nil {
				s.files[p] = info
			} else {
				s.missing = append(s.missing, p)
			}
		}
		return s
	}
}

// Folder looks at the files of one directory whose names are wanted, and not at directories in it.
func Folder(dir string, wanted func(name string) bool) func() State {
	return func() State {
		s := State{files: map[string]fs.FileInfo{}}
		entries, err := os.ReadDir(dir)
		if err != nil {
			s.missing = []string{dir}
		}
		for _, e := range entries {
			p := filepath.Join(dir, e.Name())
			if info, err := os.Stat(p); wanted(e.Name()) && err == nil && info.Mode().IsRegular() { // one that has gone since is as good as none
				s.files[p] = info
			}
		}
		return s
	}
}

func (s State) equal(other State) bool {
	return maps.EqualFunc(s.files, other.files, func(a, b fs.FileInfo) bool {
		return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
	})
}

// FileWatcher follows the state of files until it is closed.
type FileWatcher struct {
	// Changes hands out something once the files have changed, or are back, and are at rest. Changes that are not taken become one.
	Changes <-chan struct{}
	// Missing hands out the names of files that are gone, once until they are back.
	Missing <-chan []string

	done, stopped chan struct{}
}

// NewFileWatcher reports when look no longer returns what it returned first. What was read before may be older than that: watch,
// then read.
func NewFileWatcher(look func() State) *FileWatcher {
	changes, missing := make(chan struct{}, 1), make(chan []string, 1)
	w := &FileWatcher{Missing: missing, Changes: changes, done: make(chan struct{}), stopped: make(chan struct{})}
	known := look()
	go w.run(look, known, changes, missing)
	return w
}

// Close ends the watching, and returns when it has ended.
func (w *FileWatcher) Close() {
	close(w.done)
	<-w.stopped
}

func (w *FileWatcher) run(look func() State, known State, changes chan<- struct{}, missing chan<- []string) {
	defer close(w.stopped)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var candidate *State
	absent := 0   // looks in a row at which something was missing
	gone := false // that was reported, so that its return is a change, whatever it is
	for {
		select {
		case <-w.done:
			return
		case <-tick.C:
		}
		now := look()
		if len(now.missing) > 0 {
			candidate = nil
			if absent++; absent == missingLooks {
				gone = true
				select {
				case missing <- now.missing:
				default: // the notice before was not taken yet
				}
			}
			continue
		}
		absent = 0
		switch {
		case now.equal(known) && !gone:
			candidate = nil
		case candidate != nil && now.equal(*candidate):
			known, candidate, gone = now, nil, false
			select {
			case changes <- struct{}{}:
			default:
			}
		default:
			candidate = &now
		}
	}
}
