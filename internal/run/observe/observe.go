// SPDX-License-Identifier: Apache-2.0

// Package observe records what a run sees of the project's controller: the lines that it prints, the reconciles that these
// name, its metrics, and what the development loop did about each save. It does not see requests, and judges nothing.
package observe

import (
	"os"
	"sync"

	"github.com/crdctl/crdctl/internal/trace"
)

// Run records for one run. A nil one records nothing.
type Run struct {
	sink  trace.Sink
	name  string // of the controller
	lines *lines

	mu      sync.Mutex
	build   int
	sum     string            // digest of the binary of the build
	process *Process          // the last; nil before the first
	pipes   map[*os.File]bool // that are read

	following sync.WaitGroup // on pipes
}

// New returns a recorder of what the controller with a name does. It is to be closed.
func New(sink trace.Sink, name string) *Run {
	r := &Run{sink: sink, name: name, pipes: map[*os.File]bool{}}
	r.lines = newLines(r)
	return r
}

// Close records the lines that are not recorded yet.
func (r *Run) Close() {
	if r != nil {
		r.closePipes()
		r.lines.close()
	}
}

// Process is a process of the controller. A nil one is not recorded.
type Process struct {
	run     *Run
	build   int
	sum     string
	started chan struct{}

	// Once it has started:
	pid   int
	actor trace.ActorID
}

// Process returns the process that will run a binary, by its digest. Another binary than the last that ran is the next build.
func (r *Run) Process(sum string) *Process {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &Process{run: r, build: r.build, sum: sum, started: make(chan struct{})}
	if sum != r.sum {
		p.build++
	}
	r.process = p
	return p
}

// Controller is the controller as it is now. It is for who sees its requests: the first of them may come before Started.
func (r *Run) Controller() trace.Actor {
	r.mu.Lock()
	p := r.process
	r.mu.Unlock()
	if p == nil {
		return trace.Actor{Name: r.name, Class: trace.ClassController}
	}
	<-p.started
	return trace.Actor{Name: r.name, Class: trace.ClassController, Build: p.build, PID: p.pid}
}

// Started must be called once: with 0 where the process could not be started.
func (p *Process) Started(pid int) {
	if p == nil {
		return
	}
	defer close(p.started)
	if pid == 0 {
		return
	}
	p.pid = pid
	p.actor = p.run.sink.Defs().Actor(trace.Actor{Name: p.run.name, Class: trace.ClassController, Build: p.build, PID: pid})
	p.run.mu.Lock()
	defer p.run.mu.Unlock()
	p.run.build, p.run.sum = p.build, p.sum
}

// running returns the build that runs, and the digest of its binary.
func (r *Run) running() (build int, sum string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.build, r.sum
}
