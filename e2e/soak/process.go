// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/proc"
)

// process is a program that is started again and again, each time with a log of its own.
type process struct {
	*program.Process
	soak        *soak
	name, ready string // ready is what it writes when it can be used
	side        program.Side
	starts      int
	wanted      bool // started, and its end is not asked for
	log         *os.File
	next        int // the position in its output after ready

	life sync.Mutex // held while something is done to it
}

// newProcess is one in a directory of its own.
func (s *soak) newProcess(name, ready string) process {
	dir := filepath.Join(s.dir, name)
	require.NoError(s, os.MkdirAll(dir, 0o755))
	return process{soak: s, name: name, ready: ready, side: program.Side{Dir: dir, Env: append(os.Environ(), "NO_COLOR=1", "TMPDIR="+s.dir)}}
}

// start starts it and waits until it is ready.
func (p *process) start() {
	p.starts++
	p.log = must(os.Create(fmt.Sprintf("%s.%d.log", p.side.Dir, p.starts)))(p.soak)
	p.side.Log = p.log
	p.Process = must(program.Start(p.side, func(o *proc.Options) { o.StopSignal = syscall.SIGTERM }))(p.soak)
	p.wanted = true
	_, next, err := p.Await(context.Background(), 0, p.ready)
	require.NoError(p.soak, err)
	p.next = next
}

// stop has the process end, in one way or another. It may not have ended before by itself, or with a panic of a reconcile in its log.
func (p *process) stop(how func() error) {
	if !p.wanted {
		return
	}
	p.wanted = false
	select {
	case <-p.Done():
		p.soak.Errorf("%s ended by itself: %v", p.log.Name(), p.Err())
	default:
		assert.NoError(p.soak, how(), p.log.Name())
	}
	assert.NoError(p.soak, p.log.Close())
	for line := range strings.Lines(string(must(os.ReadFile(p.log.Name()))(p.soak))) {
		if strings.Contains(line, `err="panic: `) {
			p.soak.Errorf("a panic of crdctl's own: %s: %s", p.log.Name(), line)
		}
	}
}

// kill is kill -9, and returns when it has ended.
func (p *process) kill() {
	p.stop(func() error {
		p.Kill()
		<-p.Done()
		return nil
	})
}

// end is SIGTERM, which has to be followed by an orderly end.
func (p *process) end() {
	p.stop(func() error { return p.End() })
}

// signal sends the process alone a signal, and not what it started.
func (p *process) signal(name string) {
	require.NoError(p.soak, exec.Command("kill", "-"+name, strconv.Itoa(p.PID())).Run())
}
