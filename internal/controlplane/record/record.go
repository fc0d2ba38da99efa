// SPDX-License-Identifier: Apache-2.0

// Package record sees every request to an API server of this process from its outermost handler, and makes records of
// it: requests, versions of objects, watches and what they delivered, admission, calls of webhooks, Kubernetes events. Of
// another API server it sees what a proxy passes on. It changes no request and holds none
// up: bytes are copied while they pass, and decoded by another goroutine. What comes faster than that is counted.
//
// It does not keep records, which is the sink's business, and does not say what they mean.
package record

import (
	"maps"
	"sync"
	"time"

	"k8s.io/client-go/discovery"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/redact"
)

// Options say what is recorded, and where it goes.
type Options struct {
	Sink   trace.Sink
	Source trace.Source     // of what the sink keeps, which is served at trace.Path; nil for none
	Bodies trace.Bodies     // how much of objects is recorded; empty is BodiesNone
	Redact *redact.Redactor // takes secrets out of objects and messages; nil for one that knows no paths
	// Controller returns Name, Build and PID of the project's controller that runs; nil if that is not known. It is
	// called for each request of the controller, and must be quick.
	Controller func() trace.Actor
	// IsController reports whether a user other than the control plane's own is the project's controller; nil for
	// service accounts.
	IsController func(user string) bool
}

const (
	// queueItems and queueBytes bound what waits to be decoded.
	queueItems = 16384
	queueBytes = 64 << 20
	// settleEvery is how often what waits is decoded, and versions are looked at that wait for their request: see versions. At 100 updates
	// a second, to do so every 10 ms, and to encode records every 20 instead of 100, takes 2 % more CPU time for an update.
	settleEvery = 50 * time.Millisecond
)

// Recorder makes records of the requests to one API server. A nil Recorder records nothing, and costs nothing.
type Recorder struct {
	Options
	users users

	mu      sync.Mutex
	queue   []item
	bytes   int
	dropped map[trace.Kind]int64
	since   int64 // of the first of dropped
	closed  bool

	wake chan struct{}
	done chan struct{} // closed when work has ended; nil if it has not begun
}

// item is what waits to be decoded.
type item interface {
	size() int
	kind() trace.Kind // of the records that are missing if it is dropped
	work(*worker)
}

// New returns a recorder, which keeps what it hears in a queue until Start. admin, controller and system are the users
// of the control plane's own credentials: kubectl's and crdctl's, the controller's, and the API server's.
func New(o Options, admin, controller, system string) *Recorder {
	if o.Bodies == "" {
		o.Bodies = trace.BodiesNone
	}
	if o.Redact == nil {
		o.Redact = redact.New(redact.Options{})
	}
	return &Recorder{
		Options: o, users: users{admin: admin, controller: controller, system: system},
		dropped: map[trace.Kind]int64{}, wake: make(chan struct{}, 1),
	}
}

// Start begins to decode. kinds is asked for the kinds of resources; its requests must have the user agent Agent at
// their end.
func (r *Recorder) Start(kinds discovery.ServerResourcesInterfaceWithContext) {
	if r == nil {
		return
	}
	r.done = make(chan struct{})
	w := newWorker(r, kinds)
	go w.run()
}

// Close ends the recording when all that was heard is decoded.
func (r *Recorder) Close() {
	if r == nil || r.done == nil {
		return
	}
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.signal()
	<-r.done
}

func (r *Recorder) ended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

func (r *Recorder) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// put queues an item, or counts it.
func (r *Recorder) put(i item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if len(r.queue) >= queueItems || r.bytes+i.size() > queueBytes {
		if len(r.dropped) == 0 {
			r.since = r.Sink.Now()
		}
		r.dropped[i.kind()]++
		return
	}
	r.bytes += i.size()
	r.queue = append(r.queue, i)
	if n := len(r.queue); n == 1 || n >= queueItems/2 || r.bytes >= queueBytes/2 {
		r.signal()
	}
}

// take returns what waits, and gives empty to be filled next.
func (r *Recorder) take(empty []item) (batch []item, gap *trace.Gap, closed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.dropped) > 0 {
		gap = &trace.Gap{From: r.since, To: r.Sink.Now(), Dropped: maps.Clone(r.dropped), Why: "requests came faster than they could be decoded"}
		clear(r.dropped)
	}
	batch, r.queue, r.bytes = r.queue, empty[:0], 0
	return batch, gap, r.closed
}

// worker decodes. All of it belongs to one goroutine.
type worker struct {
	*Recorder
	resources resources
	versions  versions
	hooks     hooks
}

func newWorker(r *Recorder, kinds discovery.ServerResourcesInterfaceWithContext) *worker {
	w := &worker{Recorder: r, resources: newResources(r.Sink, kinds, r.ended), hooks: hooks{}}
	w.versions = newVersions(r.Options)
	return w
}

func (w *worker) run() {
	defer close(w.done)
	ticker := time.NewTicker(settleEvery)
	defer ticker.Stop()
	var batch []item
	var last time.Time // when items were taken
	for {
		tick := ticker.C
		if len(w.versions.pending) == 0 {
			tick = nil
		}
		select {
		case <-w.wake:
			if wait := settleEvery - time.Since(last); wait > 0 && !w.ended() {
				select { // more comes meanwhile: to wake for each item takes the processor from the API server
				case <-time.After(wait):
				case <-w.wake: // by Close, or in a burst: other items only wake if none wait
				}
			}
		case <-tick:
		}
		last = time.Now()
		clear(batch)
		var gap *trace.Gap
		var closed bool
		batch, gap, closed = w.take(batch)
		for _, i := range batch {
			i.work(w)
		}
		if gap != nil {
			w.Sink.Add(gap)
		}
		w.versions.settle(w.Sink.Now(), closed)
		if closed {
			return
		}
	}
}
