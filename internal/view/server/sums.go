// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/crdctl/crdctl/internal/trace"
)

// sums are counts and times by second. They outlive the records that they are made of.
type sums struct {
	begin   int64 // T of what is counted at least
	first   int64 // the second of seconds[0]
	seconds []second
	total   counts
	depth   int // of the queue, as recorded last
	saves   []saved
}

// keptSeconds bounds the sums: four hours.
const keptSeconds = 4 * 3600

// second is what happened in one second.
type second struct {
	Records int32
	counts
	Depth                   int32     // greatest depth of a queue
	waited, worked, request histogram // nanoseconds
}

// counts are of what people look for first.
type counts struct {
	Reconciles [4]int32 // ok, requeue, error, panic
	Requests   int32
	Writes     int32
	OwnWrites  int32 // of the project's own actors
	NoOps      int32
	Conflicts  int32
	Denied     int32 // 403
}

var results = map[string]int{"ok": 0, "requeue": 1, "error": 2, "panic": 3}

// saved is a save in the dev loop.
type saved struct {
	Seq       int64    `json:"seq"`
	T         int64    `json:"t"`
	Build     int      `json:"build"`
	OK        bool     `json:"ok"`
	Restarted bool     `json:"restarted,omitempty"` // the build began with it; else it goes on
	Label     string   `json:"label"`               // of its mark
	Took      int64    `json:"took"`
	Files     []string `json:"files,omitempty"`
	Failed    string   `json:"failed,omitempty"` // the step that failed
	Why       string   `json:"why,omitempty"`    // its message
}

// maxFrameSaves bounds the saves of a frame.
const maxFrameSaves = 200

// recentSaves are the newest saves, of which only the last one has what failed: that can be long.
func (s *sums) recentSaves() []saved {
	all := slices.Clone(s.saves[max(0, len(s.saves)-maxFrameSaves):])
	for i := range max(0, len(all)-1) {
		all[i].Why = ""
	}
	return all
}

func (s *sums) at(t int64) *second {
	n := max(t, 0) / 1e9
	if len(s.seconds) == 0 {
		s.first = n
	}
	if n < s.first {
		n = s.first // older than what is kept
	}
	for s.first+int64(len(s.seconds)) <= n {
		if n-s.first >= 2*keptSeconds {
			s.seconds, s.first = nil, n
		}
		s.seconds = append(s.seconds, second{})
	}
	if over := len(s.seconds) - keptSeconds; over > keptSeconds/10 {
		s.seconds = append([]second(nil), s.seconds[over:]...)
		s.first += int64(over)
	}
	return &s.seconds[n-s.first]
}

func (s *sums) add(r trace.Record, own bool) {
	if h, ok := r.Body.(*trace.Header); ok {
		s.begin = h.Begin
		return
	}
	if r.T < s.begin {
		return // it shows the state at the begin of a part
	}
	now := s.at(r.T)
	now.Records++
	switch b := r.Body.(type) {
	case *trace.Request:
		s.request(now, r.T, b, own)
	case *trace.Reconcile:
		if b.State == "begin" {
			now.waited.add(b.Waited)
			now.Depth = max(now.Depth, int32(b.Depth))
			s.depth = b.Depth
			return
		}
		if i, ok := results[b.Result]; ok {
			now.Reconciles[i]++
			s.total.Reconciles[i]++
		}
		if b.Began != 0 {
			now.worked.add(r.T - b.Began)
		}
	case *trace.Queue:
		now.Depth = max(now.Depth, int32(b.Depth))
		s.depth = b.Depth
	case *trace.Save:
		s.saves = append(s.saves, savedOf(r, b))
	}
}

func (s *sums) request(now *second, t int64, b *trace.Request, own bool) {
	count := func(n func(*counts) *int32) { *n(&now.counts)++; *n(&s.total)++ }
	count(func(c *counts) *int32 { return &c.Requests })
	if b.Verb != "watch" {
		now.request.add(t - b.Began)
	}
	switch b.Verb {
	case "create", "update", "patch", "apply", "delete", "deletecollection":
		count(func(c *counts) *int32 { return &c.Writes })
		if own {
			count(func(c *counts) *int32 { return &c.OwnWrites })
		}
	}
	switch {
	case b.NoOp:
		count(func(c *counts) *int32 { return &c.NoOps })
	case b.Code == 409 && b.Reason == "Conflict":
		count(func(c *counts) *int32 { return &c.Conflicts })
	case b.Code == 403:
		count(func(c *counts) *int32 { return &c.Denied })
	}
}

func savedOf(r trace.Record, b *trace.Save) saved {
	s := saved{Seq: r.Seq, T: r.T, Build: b.Build, OK: true, Files: b.Files}
	for _, step := range b.Steps {
		s.Took += step.Took
		s.Restarted = s.Restarted || step.Name == "restart" && step.OK
		if !step.OK {
			s.OK, s.Failed, s.Why = false, step.Name, step.Name+": "+step.Message
		}
	}
	switch {
	case !s.OK:
		s.Label = "failed save"
	case s.Restarted:
		s.Label = fmt.Sprintf("build %d", s.Build)
	default:
		s.Label = "save"
	}
	return s
}

// histogram counts durations in classes whose bounds are powers of the square root of two: a quantile is at most 19 %
// off.
type histogram [64]uint32

func class(ns int64) int {
	us := uint64(max(ns, 0)) / 1000
	if us == 0 {
		return 0
	}
	n := bits.Len64(us) // 2^(n-1) <= us < 2^n
	c := 2*n - 1
	if us*us >= 1<<(2*n-1) && n < 32 {
		c++
	}
	return min(c, len(histogram{})-1)
}

func (h *histogram) add(ns int64) { h[class(ns)]++ }

func (h *histogram) merge(o *histogram) {
	for i, n := range o {
		h[i] += n
	}
}

// quantile returns the middle of the class that has the quantile, in nanoseconds, or -1 if nothing was counted.
func (h *histogram) quantile(q float64) int64 {
	var all uint64
	for _, n := range h {
		all += uint64(n)
	}
	if all == 0 {
		return -1
	}
	rank, seen := uint64(q*float64(all-1)), uint64(0)
	for c, n := range h {
		if seen += uint64(n); seen > rank {
			return middle(c)
		}
	}
	return middle(len(h) - 1)
}

// middle is a duration within a class.
func middle(c int) int64 {
	if c == 0 {
		return 500
	}
	low := float64(uint64(1) << ((c - 1) / 2)) // µs
	if c%2 == 0 {
		low *= 1.41421356
	}
	return int64(low * 1.18920711 * 1000)
}

// over returns the sum of the seconds in [from, to), in nanoseconds.
func (s *sums) over(from, to int64) (all second) {
	for n := max(from/1e9, s.first); n < min((to+1e9-1)/1e9, s.first+int64(len(s.seconds))); n++ {
		all.merge(&s.seconds[n-s.first])
	}
	return all
}

func (a *second) merge(b *second) {
	a.Records += b.Records
	for i, n := range b.Reconciles {
		a.Reconciles[i] += n
	}
	a.Requests += b.Requests
	a.Writes += b.Writes
	a.OwnWrites += b.OwnWrites
	a.NoOps += b.NoOps
	a.Conflicts += b.Conflicts
	a.Denied += b.Denied
	a.Depth = max(a.Depth, b.Depth)
	a.waited.merge(&b.waited)
	a.worked.merge(&b.worked)
	a.request.merge(&b.request)
}
