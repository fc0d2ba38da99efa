package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// What a line of notes is about.
const (
	noteBegin = "begin"
	noteEnd   = "end"
	noteCrash = "crash" // of the process: whatever it was at has ended
)

// notes is the file in which a replica's hook notes its calls: one for all processes of it, since there may be one for each call.
type notes struct {
	mu      sync.Mutex
	file    *os.File
	process string
}

func notesFile(dir, replica string) string { return filepath.Join(dir, "notes-"+replica) }

func openNotes(dir, replica string) (*notes, error) {
	f, err := os.OpenFile(notesFile(dir, replica), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return &notes{file: f, process: fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano())}, err // numbers of processes come again
}

// add writes a line at once: nothing of it may be lost with the process. The lock is held, so that times rise, and it stays
// locked after a crash, which is the last note of a process.
func (n *notes) add(what string, id int64, key string) error {
	n.mu.Lock()
	if what != noteCrash {
		defer n.mu.Unlock()
	}
	_, err := fmt.Fprintln(n.file, what, time.Now().UnixNano(), n.process, id, key)
	return err
}

func (n *notes) close() error { return n.file.Close() }

// span is a call of a hook.
type span struct {
	replica, process, key string
	// end is when the replica gave the call up at the latest, where the hook did not note it.
	begin, end time.Time
}

// readNotes reads what the processes of a replica's hook noted so far.
func readNotes(dir, replica string, longest time.Duration) ([]span, error) {
	data, err := os.ReadFile(notesFile(dir, replica))
	if err != nil {
		return nil, err
	}
	return spansOf(replica, string(data), longest)
}

// spansOf reads notes. Calls whose end is not noted took the longest time at most.
func spansOf(replica, text string, longest time.Duration) (all []span, err error) {
	open := map[string]span{} // by process and number
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") {
			break // it is being written
		}
		var what, process, id, key string
		var nanos int64
		if _, err := fmt.Sscan(line, &what, &nanos, &process, &id, &key); err != nil {
			return nil, fmt.Errorf("%q is not a note: %w", line, err)
		}
		at, call := time.Unix(0, nanos), process+" "+id
		switch s, known := open[call]; {
		case what == noteBegin:
			open[call] = span{replica: replica, process: process, key: key, begin: at, end: at.Add(longest)}
		case what == noteEnd && known:
			s.end = at
			all = append(all, s)
			delete(open, call)
		case what == noteCrash:
			for call, s := range open {
				if s.process == process {
					s.end = at
					all = append(all, s)
					delete(open, call)
				}
			}
		default:
			return nil, fmt.Errorf("%q does not follow from what was noted before", line)
		}
	}
	return slices.AppendSeq(all, maps.Values(open)), nil
}
