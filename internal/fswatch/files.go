// SPDX-License-Identifier: Apache-2.0

package fswatch

import (
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settle is how long files must stay the same until a change is told: an editor writes in several steps.
	settle = 100 * time.Millisecond
	// again is how soon a file that is missing is looked for, also where its directory went with it and no event can come.
	again = 250 * time.Millisecond
	// missingLooks is how many looks in a row find a file missing before that is told: an editor replaces files.
	missingLooks = 3
	// poll is how often files are looked at where the system has no more watches to give: a controller must not fail for that.
	poll = 2 * time.Second
)

// FileWatcher follows the state of files until it is closed.
type FileWatcher struct {
	// Changes hands out something once the files have changed, or are back, and are at rest. Changes that are not taken become one.
	Changes <-chan struct{}
	// Missing hands out the names of files that are gone, once until they are back.
	Missing <-chan []string

	look    func() State
	notify  *fsnotify.Watcher // nil where the system gives none
	changes chan struct{}
	missing chan []string
	done    chan struct{}
	stopped chan struct{}
}

// NewFileWatcher reports when look no longer returns what it returned first. What was read before may be older than that: watch,
// then read.
func NewFileWatcher(look func() State) *FileWatcher {
	changes, missing := make(chan struct{}, 1), make(chan []string, 1)
	w := &FileWatcher{Missing: missing, missing: missing, Changes: changes, look: look, changes: changes, done: make(chan struct{}), stopped: make(chan struct{})}
	if n, err := fsnotify.NewWatcher(); err == nil {
		w.notify = n
	}
	known := look()
	polled := !w.follow(known)
	go w.run(known, polled)
	return w
}

// Close ends the watching, and returns when it has ended.
func (w *FileWatcher) Close() {
	close(w.done)
	<-w.stopped
	if w.notify != nil {
		_ = w.notify.Close()
	}
}

// follow asks for the events of all directories, and reports whether it gets them. A directory that is followed already is, or is again
// after it was replaced.
func (w *FileWatcher) follow(s State) bool {
	if w.notify == nil {
		return false
	}
	for _, dir := range s.dirs {
		if w.notify.Add(dir) != nil && !s.incomplete {
			return false
		}
	}
	return true
}

func (w *FileWatcher) run(known State, polled bool) {
	defer close(w.stopped)
	var events <-chan fsnotify.Event
	var errs <-chan error
	if w.notify != nil {
		events, errs = w.notify.Events, w.notify.Errors
	}
	var tick <-chan time.Time
	if polled {
		ticker := time.NewTicker(poll)
		defer ticker.Stop()
		tick = ticker.C
	}
	// The first look is for what changed before the events came.
	timer, pending := time.NewTimer(0), true
	defer timer.Stop()
	// The timer is not set back by further events: in a directory that never rests it would never end.
	soon := func(after time.Duration) {
		if !pending {
			timer.Reset(after)
			pending = true
		}
	}
	var candidate *State
	absent := 0   // looks in a row at which something was missing
	gone := false // that was told, so that its return is a change, whatever it is
	for {
		select {
		case <-w.done:
			return
		case <-events:
			soon(settle)
		case lost := <-errs:
			if lost != nil {
				soon(settle)
			}
		case <-tick:
			soon(0)
		case <-timer.C:
			pending = false
			now := w.look()
			w.follow(now)
			if !now.incomplete {
				absent = 0
			}
			switch {
			case now.incomplete:
				candidate = nil
				if absent++; absent == missingLooks {
					gone = true
					select {
					case w.missing <- now.missing:
					default: // the notice before was not taken yet
					}
				}
				soon(again)
			case now.equal(known) && !gone:
				candidate = nil
			case candidate != nil && now.equal(*candidate):
				known, candidate, gone = now, nil, false
				select {
				case w.changes <- struct{}{}:
				default:
				}
			default:
				candidate = &now
				soon(settle)
			}
		}
	}
}
