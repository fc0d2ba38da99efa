// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"os"
	"time"

	"github.com/crdctl/crdctl/internal/run/hookpipe"
	"github.com/crdctl/crdctl/internal/trace"
)

// Pipe returns the end of a pipe that the process is to inherit and the caller is to close then. What a project of crdctl's tells there is
// recorded. It is nil for a nil Process.
func (p *Process) Pipe() (*os.File, error) {
	if p == nil {
		return nil, nil
	}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.run.mu.Lock()
	p.run.pipes[from] = true
	p.run.mu.Unlock()
	p.run.following.Go(func() {
		hookpipe.Follow(from, p.run.sink, func() trace.ActorID { <-p.started; return p.actor })
		p.run.mu.Lock()
		delete(p.run.pipes, from)
		p.run.mu.Unlock()
		_ = from.Close() // it is of no use any more
	})
	return to, nil
}

// pipeGrace is how long pipes are read when the run has ended: a process that the controller left behind may have one open.
const pipeGrace = time.Second

func (r *Run) closePipes() {
	r.mu.Lock()
	for from := range r.pipes {
		_ = from.SetReadDeadline(time.Now().Add(pipeGrace)) // without one, the end of the processes ends the pipe
	}
	r.mu.Unlock()
	r.following.Wait()
}
