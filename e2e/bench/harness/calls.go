// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"errors"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Calls is what the benchmark calls with net/rpc, over the standard input and output of the program.
type Calls struct{ h *Harness }

// Synced waits until every object has been reconciled once, and returns when that was.
func (c *Calls) Synced(_ int, reply *time.Time) error {
	*reply = <-c.h.synced
	return nil
}

// Collect returns the bytes of the heap that are left after collections: a second one frees what finalizers and pools held at the
// first. What is free is returned to the system.
func (c *Calls) Collect(_ int, reply *uint64) error {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	debug.FreeOSMemory()
	*reply = m.HeapAlloc
	return nil
}

// Note is one reconcile: the object and the version that it saw, and when it began, in nanoseconds since 1970.
type Note struct {
	Object, Version uint64
	At              int64
}

// notes keeps reconciles. It has the space for them from the start: to note one is to write three numbers.
type notes struct {
	n   atomic.Int64
	all []Note
}

// Begin has reconciles noted from now on, so many at most.
func (c *Calls) Begin(most int, _ *int) error {
	c.h.notes.Store(&notes{all: make([]Note, most)})
	return nil
}

// Noted is what happened since Begin.
type Noted struct {
	Count int64
	Notes []Note
}

// Noted returns what was noted so far.
func (c *Calls) Noted(_ int, reply *Noted) error {
	n := c.h.notes.Load()
	if n == nil {
		return errors.New("nothing was begun")
	}
	count := n.n.Load()
	*reply = Noted{count, n.all[:min(count, int64(len(n.all)))]}
	return nil
}
