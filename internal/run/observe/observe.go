// SPDX-License-Identifier: Apache-2.0

// Package observe records what a run sees of the project's controller: the lines that it prints, the reconciles that these
// name, its metrics, and what the development loop did about each save. It does not see requests, and judges nothing.
package observe

import (
	"sync"

	"github.com/crdctl/crdctl/internal/trace"
)

// Run records for one run. A nil one records nothing.
type Run struct {
	sink  trace.Sink
	name  string // of the controller
	lines *lines

	mu    sync.Mutex
	build int
	sum   string // digest of the binary of the build
	actor trace.ActorID
}

// New returns a recorder of what the controller with a name does. It is to be closed.
func New(sink trace.Sink, name string) *Run {
	r := &Run{sink: sink, name: name}
	r.lines = newLines(r)
	return r
}

// Close records the lines that are not recorded yet.
func (r *Run) Close() {
	if r != nil {
		r.lines.close()
	}
}

// Next returns the number of the build that a binary is, by its digest: that of the build that runs, or the next one.
func (r *Run) Next(sum string) int {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if sum == r.sum {
		return r.build
	}
	return r.build + 1
}

// Started notes that a process of a binary is the controller now.
func (r *Run) Started(sum string, pid int) {
	if r == nil {
		return
	}
	build := r.Next(sum)
	actor := r.sink.Defs().Actor(trace.Actor{Name: r.name, Class: trace.ClassController, Build: build, PID: pid})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.build, r.sum, r.actor = build, sum, actor
}

// running returns the build that runs, and its process as an actor.
func (r *Run) running() (build int, sum string, actor trace.ActorID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.build, r.sum, r.actor
}
