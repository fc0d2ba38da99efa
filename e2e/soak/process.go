package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/proc"
)

// process is a program that is started again and again, each time with a log of its own.
type process struct {
	name, logs string
	side       program.Side

	mu      sync.Mutex
	running *program.Process
	wanted  bool // its end is not asked for
	starts  int
	log     string
	ends    []string // those that were not asked for
}

func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starts++
	p.log = filepath.Join(p.logs, fmt.Sprintf("%s.%d.log", p.name, p.starts))
	log, err := os.Create(p.log)
	if err != nil {
		return err
	}
	p.side.Log = log
	running, err := program.Start(p.side, func(o *proc.Options) { o.StopSignal = syscall.SIGTERM })
	if err != nil {
		return errors.Join(err, log.Close())
	}
	p.running, p.wanted = running, true
	go func(name string) { // notes an end that was not asked for
		<-running.Done()
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = log.Close()
		if p.wanted && p.running == running {
			p.ends = append(p.ends, fmt.Sprintf("%s ended by itself at %s: %v; see %s", p.name, clock(time.Now()), running.Err(), name))
		}
	}(p.log)
	return nil
}

func (p *process) now() *program.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running
}

// ending notes that the end of the process is asked for from now on.
func (p *process) ending() *program.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = false
	return p.running
}

// kill is kill -9, and returns when it has ended.
func (p *process) kill() {
	running := p.ending()
	running.Kill()
	<-running.Done()
}

// end is SIGTERM. It is an error if the process does not end, or not well.
func (p *process) end() error {
	running := p.ending()
	if running == nil {
		return nil
	}
	began := time.Now()
	if err := running.End(); err != nil {
		return fmt.Errorf("%s: %w, %s after SIGTERM; see %s", p.name, err, time.Since(began).Round(time.Millisecond), p.log)
	}
	return nil
}

// await waits until the process that runs has written a text, and returns the position after it.
func (p *process) await(ctx context.Context, text string) (next int, err error) {
	_, next, err = p.now().Await(ctx, 0, text)
	return next, err
}
