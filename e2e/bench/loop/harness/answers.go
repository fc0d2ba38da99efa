package harness

import (
	"encoding/json"
	"fmt"
	"time"
)

// Synced is told when every object was reconciled once.
type Synced struct {
	At   int64         `json:"synced"` // nanoseconds since 1970
	CPU  time.Duration `json:"cpu"`
	Peak int64         `json:"peak"` // of the resident memory, in bytes
}

// Memory answers "gc": what is left after collections.
type Memory struct {
	Heap     int64 `json:"heap"`
	Resident int64 `json:"resident"` // after all that is free was given back to the system
	Peak     int64 `json:"peak"`
}

// Begun answers "begin N": from now on reconciles are noted, N at most.
type Begun struct {
	Begun int64 `json:"begun"`
}

// Noted answers "end": what was since "begin".
type Noted struct {
	Count int64         `json:"noted"`
	CPU   time.Duration `json:"cpu"`
	Notes []Note        `json:"notes"`
}

// Seen answers "last N": the last reconciled versions of the first N objects.
type Seen struct {
	Last []uint64 `json:"last"`
}

// Rate answers "again N": all objects were enqueued and reconciled N times.
type Rate struct {
	Count int64         `json:"again"`
	Took  time.Duration `json:"took"`
	CPU   time.Duration `json:"cpu"`
}

// Failed answers what cannot be done.
type Failed struct {
	Error string `json:"error"`
}

func (h *Harness) tell(answer any) {
	line, err := json.Marshal(answer)
	if err != nil {
		line, _ = json.Marshal(Failed{err.Error()})
	}
	h.say.Lock()
	defer h.say.Unlock()
	_, _ = h.out.Write(append(line, '\n'))
}

// command does what one line asks for, and answers.
func (h *Harness) command(line string) {
	var verb string
	var n int
	_, _ = fmt.Sscan(line, &verb, &n)
	switch verb {
	case "gc":
		h.tell(collected())
	case "begin":
		h.notes.Store(&notes{all: make([]Note, n)})
		h.began = moment{h.count.Load(), cpu()}
		h.tell(Begun{time.Now().UnixNano()})
	case "end":
		noted := Noted{Count: h.count.Load() - h.began.count, CPU: cpu() - h.began.cpu}
		noted.Notes = h.notes.Swap(nil).taken()
		h.tell(noted)
	case "last":
		seen := Seen{make([]uint64, min(n, len(h.last)))}
		for i := range seen.Last {
			seen.Last[i] = h.last[i].Load()
		}
		h.tell(seen)
	case "again":
		h.tell(h.rate(n))
	default:
		h.tell(Failed{fmt.Sprintf("%q is no question; see the answers in package harness", line)})
	}
}

// rate enqueues all objects some times, each time when those of the time before are done: else many would be one.
func (h *Harness) rate(times int) any {
	if h.again == nil {
		return Failed{"this program cannot enqueue objects anew; have it call Again"}
	}
	names := make([]string, h.objects)
	for i := range names {
		names[i] = Name(i)
	}
	began, count, used := time.Now(), h.count.Load(), cpu()
	for range times {
		h.goal.Store(h.count.Load() + int64(h.objects))
		h.again(names)
		select {
		case <-h.reached:
		case <-time.After(2 * time.Minute):
			return Failed{fmt.Sprintf("%d reconciles when %d were due; are all objects enqueued?", h.count.Load(), h.goal.Load())}
		}
	}
	return Rate{h.count.Load() - count, time.Since(began), cpu() - used}
}
