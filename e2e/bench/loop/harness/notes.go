package harness

import (
	"sync/atomic"
	"time"
)

// Note is one reconcile: the version that it saw, and when it began, in nanoseconds since 1970.
type Note struct {
	Version uint64 `json:"v"`
	At      int64  `json:"t"`
}

// notes keeps reconciles. It has the place for them from the start: to note one is to write two numbers.
type notes struct {
	n   atomic.Int64
	all []Note
}

func (n *notes) add(version uint64, began time.Time) {
	if i := n.n.Add(1) - 1; i < int64(len(n.all)) {
		n.all[i] = Note{version, began.UnixNano()}
	}
}

// taken are the reconciles that were noted.
func (n *notes) taken() []Note {
	if n == nil {
		return nil
	}
	return n.all[:min(n.n.Load(), int64(len(n.all)))]
}
