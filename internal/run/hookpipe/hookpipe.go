// SPDX-License-Identifier: Apache-2.0

// Package hookpipe records what a controller made by crdctl reports of its work queues and syncs: lines of JSON in a pipe, which the file
// zz_generated.trace.go of a project writes where CRDCTL_TRACE is set. It starts no process, and does not guess: after lines that were lost,
// the causes of a reconcile are called likely, not certain.
package hookpipe

import (
	"bufio"
	"encoding/json"
	"io"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
)

// Variable is the name of the environment variable that has the number of the pipe.
const Variable = "CRDCTL_TRACE"

const (
	proof = "told by the controller's work queue"
	doubt = "told by the controller's work queue, of which lines were lost"

	mostCauses = 32      // of one reconcile that are listed
	maxLine    = 1 << 20 // bytes
)

// line is what the controller writes.
type line struct {
	Time    int64  `json:"t"` // Unix time in nanoseconds
	Op      string `json:"op"`
	Queue   string `json:"queue"`
	Key     string `json:"key"`
	Sync    string `json:"sync"`
	UID     string `json:"uid"`
	Version uint64 `json:"rv,string"`
	Own     bool   `json:"own"`
	Delay   int64  `json:"delay"`
	Tries   int    `json:"tries"`
	Err     string `json:"err"`
	Dropped int64  `json:"dropped"`
}

// Follow records what comes through a pipe until its end. Actor is the controller's process.
func Follow(pipe io.Reader, sink trace.Sink, actor func() trace.ActorID) {
	r := &reader{
		sink: sink, actor: actor, offset: time.Now().UnixNano() - sink.Now(),
		keys: map[key]*state{}, syncs: map[string]*trace.Reconcile{}, unknown: map[string]bool{}, lost: -1,
	}
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err == nil { // another line is none of this file's
			r.read(&l)
		}
	}
	_, _ = io.Copy(io.Discard, pipe) // a controller must not wait for what is not read any more
}

type key struct{ queue, key string }

// state is what is known of a key.
type state struct {
	first  int64 // when the first of the causes came
	causes []trace.Cause
	more   int
	timer  *timer
	got    int // lines that had been read when the key was got last
}

// timer is the next one of a key: a work queue has one at a time.
type timer struct {
	at  int64
	why string
}

type reader struct {
	sink    trace.Sink
	actor   func() trace.ActorID
	offset  int64 // of the wall clock
	keys    map[key]*state
	syncs   map[string]*trace.Reconcile // that have begun
	unknown map[string]bool             // UIDs that the recording does not have
	missed  int                         // of them, since one was known
	lines   int
	lost    int // lines that had been read when others were lost; -1 for never
	waiting int // keys that have a cause and were not got
}

func (r *reader) read(l *line) {
	r.lines++
	t := max(0, min(l.Time-r.offset, r.sink.Now()))
	if l.Dropped > 0 {
		r.lost = r.lines
		r.sink.AddAt(t, &trace.Gap{From: t, To: t, Dropped: map[trace.Kind]int64{trace.KindQueue: l.Dropped}, Why: "the controller told more than the pipe took"})
	}
	k := key{l.Queue, l.Key}
	s := r.keys[k]
	if s == nil {
		s = &state{got: -1}
		r.keys[k] = s
	}
	switch l.Op {
	case "add":
		why := "child"
		switch {
		case l.UID == "":
			why = "other" // the controller's own code added it
		case l.Own:
			why = "own"
		}
		r.add(t, k, s, trace.Cause{Why: why, Object: r.object(l.UID), RV: l.Version})
	case "due":
		why := "timer"
		if s.timer != nil && s.timer.at <= t {
			why, s.timer = s.timer.why, nil
		}
		r.add(t, k, s, trace.Cause{Why: why})
	case "after", "rateLimited":
		why := map[string]string{"after": "timer", "rateLimited": "retry"}[l.Op]
		if s.timer == nil || t+l.Delay < s.timer.at {
			s.timer = &timer{t + l.Delay, why}
		}
		r.sink.AddAt(t, &trace.Queue{Controller: l.Queue, Key: l.Key, Op: l.Op, Why: why, Delay: l.Delay, Tries: l.Tries})
	case "get":
		r.begin(t, l, s)
	case "end":
		r.end(t, l)
	}
	if len(s.causes) == 0 && s.timer == nil && l.Op == "end" && r.lost < 0 {
		delete(r.keys, k)
	}
}

func (r *reader) add(t int64, k key, s *state, cause trace.Cause) {
	cause.At, cause.Certainty, cause.Proof = t, trace.Certain, proof
	merged := len(s.causes) > 0
	switch {
	case !merged:
		s.first = t
		r.waiting++
		fallthrough
	case len(s.causes) < mostCauses:
		s.causes = append(s.causes, cause)
	default:
		s.more++
	}
	r.sink.AddAt(t, &trace.Queue{
		Controller: k.queue, Key: k.key, Op: "add", Why: cause.Why, Object: cause.Object, RV: cause.RV, Merged: merged, Depth: r.waiting,
	})
}

func (r *reader) begin(t int64, l *line, s *state) {
	begin := &trace.Reconcile{
		ID: l.Sync, Controller: l.Queue, Actor: r.actor(), Key: l.Key, State: "begin", Began: t, Causes: s.causes, More: s.more, Source: "hook",
	}
	for i, c := range s.causes {
		if c.Why == "own" {
			begin.Object = c.Object
		}
		if r.lost > s.got { // or there may be others, which were lost
			s.causes[i].Certainty, s.causes[i].Proof = trace.Likely, doubt
		}
	}
	if len(s.causes) > 0 {
		begin.Waited = t - s.first
		r.waiting--
	}
	begin.Depth = r.waiting
	s.causes, s.more, s.got = nil, 0, r.lines
	r.syncs[l.Sync] = begin
	r.sink.AddAt(t, begin)
}

func (r *reader) end(t int64, l *line) {
	end := trace.Reconcile{ID: l.Sync, Controller: l.Queue, Actor: r.actor(), Key: l.Key, Source: "hook", Began: t}
	if begin := r.syncs[l.Sync]; begin != nil {
		end.Began, end.Object = begin.Began, begin.Object
		delete(r.syncs, l.Sync)
	}
	end.State, end.Result, end.Err = "end", "ok", l.Err
	if l.Err != "" {
		end.Result = "error"
	}
	r.sink.AddAt(t, &end)
}

// The recorder of the API server defines an object when it first hands it out, which may be noted a moment after the controller has it.
const (
	lookups     = 20
	lookupPause = 5 * time.Millisecond
	mostUnknown = 10_000
	mostMissed  = 10 // in a row; then no objects are recorded, and none is waited for
)

func (r *reader) object(uid string) trace.ObjectID {
	if uid == "" {
		return 0
	}
	for range lookups {
		id := r.sink.Defs().Lookup(uid)
		if id != 0 {
			r.missed = 0
		}
		if id != 0 || r.unknown[uid] || r.missed >= mostMissed {
			return id
		}
		time.Sleep(lookupPause)
	}
	r.missed++
	if len(r.unknown) < mostUnknown {
		r.unknown[uid] = true
	}
	return 0
}
