package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
	next    int
}

func notesFile(dir, replica string) string { return filepath.Join(dir, "notes-"+replica) }

func openNotes(dir, replica string) (*notes, error) {
	f, err := os.OpenFile(notesFile(dir, replica), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return &notes{file: f, process: fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano())}, err // numbers of processes come again
}

func (n *notes) begin(key string) (id int, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next++
	return n.next, n.write(noteBegin, n.next, key)
}

func (n *notes) end(id int) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.write(noteEnd, id, "")
}

// crash is the last note of the process: the lock stays locked.
func (n *notes) crash() error {
	n.mu.Lock()
	return n.write(noteCrash, 0, "")
}

// write writes a line at once: nothing of it may be lost with the process. The lock is held, so that times rise.
func (n *notes) write(what string, id int, key string) error {
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
	open := map[string]map[string]span{} // by process, by number
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") {
			break // it is being written
		}
		words := strings.Fields(line)
		if len(words) < 4 {
			return nil, fmt.Errorf("%q is no note", line)
		}
		nanos, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no note: %w", line, err)
		}
		at, process, id := time.Unix(0, nanos), words[2], words[3]
		if open[process] == nil {
			open[process] = map[string]span{}
		}
		switch s, known := open[process][id]; {
		case words[0] == noteBegin && len(words) == 5:
			open[process][id] = span{replica: replica, process: process, key: words[4], begin: at, end: at.Add(longest)}
		case words[0] == noteEnd && known:
			s.end = at
			all = append(all, s)
			delete(open[process], id)
		case words[0] == noteCrash:
			for _, s := range open[process] {
				s.end = at
				all = append(all, s)
			}
			delete(open, process)
		default:
			return nil, fmt.Errorf("%q does not follow from what was noted before", line)
		}
	}
	for _, calls := range open {
		for _, s := range calls {
			all = append(all, s)
		}
	}
	return all, nil
}
