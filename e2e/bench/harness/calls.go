package harness

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Calls is what the benchmark calls with net/rpc, over the standard input and output of the program.
type Calls struct{ h *Harness }

// Synced is what was used when every object had been reconciled once.
type Synced struct {
	At   time.Time
	CPU  time.Duration
	Peak int64 // of the resident memory, in bytes
}

// Synced waits until every object has been reconciled once.
func (c *Calls) Synced(_ int, reply *Synced) error {
	*reply = <-c.h.synced
	return nil
}

// Memory is what is left after collections, in bytes.
type Memory struct {
	Heap     int64
	Resident int64 // after all that is free was returned to the system
}

// Collect collects garbage.
func (c *Calls) Collect(_ int, reply *Memory) error {
	*reply = collected()
	return nil
}

// Note is one reconcile: the version that it saw, and when it began, in nanoseconds since 1970.
type Note struct {
	Version uint64
	At      int64
}

// notes keeps reconciles. It has the space for them from the start: to note one is to write two numbers.
type notes struct {
	n     atomic.Int64
	all   []Note
	count int64 // of all reconciles, when it began
	cpu   time.Duration
}

func (n *notes) add(version uint64, began time.Time) {
	if i := n.n.Add(1) - 1; i < int64(len(n.all)) {
		n.all[i] = Note{version, began.UnixNano()}
	}
}

// Begin has reconciles noted from now on, so many at most.
func (c *Calls) Begin(most int, _ *int) error {
	c.h.notes.Store(&notes{all: make([]Note, most), count: c.h.count.Load(), cpu: cpu()})
	return nil
}

// Noted is what happened since Begin.
type Noted struct {
	Count int64
	CPU   time.Duration
	Notes []Note
}

// End returns what was noted.
func (c *Calls) End(_ int, reply *Noted) error {
	n := c.h.notes.Swap(nil)
	if n == nil {
		return errors.New("nothing was begun")
	}
	*reply = Noted{c.h.count.Load() - n.count, cpu() - n.cpu, n.all[:min(n.n.Load(), int64(len(n.all)))]}
	return nil
}

// Last returns the last reconciled versions of the first n objects.
func (c *Calls) Last(n int, reply *[]uint64) error {
	*reply = make([]uint64, min(n, len(c.h.last)))
	for i := range *reply {
		(*reply)[i] = c.h.last[i].Load()
	}
	return nil
}

// Rate enqueues all objects some times, each time when those of the time before are done: else many would be one. It returns the
// reconciles per second.
func (c *Calls) Rate(times int, reply *float64) error {
	h := c.h
	if h.again == nil {
		return errors.New("this program cannot enqueue objects anew; have it call Again")
	}
	names := make([]string, h.objects)
	for i := range names {
		names[i] = Name(i)
	}
	began, count := time.Now(), h.count.Load()
	for range times {
		h.goal.Store(h.count.Load() + int64(h.objects))
		h.again(names)
		select {
		case <-h.reached:
		case <-time.After(2 * time.Minute):
			return fmt.Errorf("%d reconciles when %d were due; are all objects enqueued?", h.count.Load(), h.goal.Load())
		}
	}
	*reply = float64(h.count.Load()-count) / time.Since(began).Seconds()
	return nil
}
