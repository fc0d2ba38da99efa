package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/proc"
)

const (
	// endPatience is how long a process may take to end in order.
	endPatience = 40 * time.Second
	lookAgain   = 50 * time.Millisecond
)

// process is a program that is started again and again, each time with a log of its own: there is too much of it to be
// kept in memory, and somebody may want to read it later.
type process struct {
	name, logs, dir string
	argv, env       []string

	mu      sync.Mutex
	running *proc.Process
	wanted  bool // its end is not asked for
	starts  int
	log     string
	began   time.Time
	ends    []string // those that nobody asked for
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
	p.running, err = proc.Start(proc.Options{Path: p.argv[0], Args: p.argv[1:], Env: p.env, Dir: p.dir, Stdout: log, Stderr: log, Grace: endPatience})
	if err = errors.Join(err, log.Close()); err != nil { // the process has its own
		return err
	}
	p.wanted, p.began = true, time.Now()
	go p.watch(p.running, p.log)
	return nil
}

// watch notes an end that nobody asked for.
func (p *process) watch(running *proc.Process, log string) {
	<-running.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted && p.running == running {
		p.ends = append(p.ends, fmt.Sprintf("%s ended by itself at %s: %v; see %s", p.name, clock(time.Now()), running.Err(), log))
	}
}

// ending tells that the end of the process is asked for from now on.
func (p *process) ending() *proc.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = false
	return p.running
}

func (p *process) since() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.began
}

// kill is kill -9, and returns when it has ended.
func (p *process) kill() {
	running := p.ending()
	running.Kill()
	<-running.Done()
}

// end is SIGTERM. One that does not end, or not well, is an error.
func (p *process) end() error {
	running := p.ending()
	if running == nil {
		return nil
	}
	began := time.Now()
	if running.Stop() {
		return fmt.Errorf("%s did not end within %s of SIGTERM, and was killed; see %s", p.name, endPatience, p.log)
	}
	if err := running.Err(); err != nil {
		return fmt.Errorf("%s: %w, %s after SIGTERM; see %s", p.name, err, time.Since(began).Round(time.Millisecond), p.log)
	}
	return nil
}

func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running.PID()
}

func (p *process) done() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running.Done()
}

// await waits until a line of the log has a text in it.
func (p *process) await(ctx context.Context, text string) error {
	_, err := p.line(ctx, text)
	return err
}

// line waits for the first line of the log that has a text in it, and returns what follows the text there.
func (p *process) line(ctx context.Context, text string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, program.Patience)
	defer cancel()
	done := p.done()
	for {
		data, err := os.ReadFile(p.log)
		if err != nil {
			return "", err
		}
		if _, after, found := bytes.Cut(data, []byte(text)); found {
			if line, _, whole := bytes.Cut(after, []byte("\n")); whole {
				return string(bytes.TrimSpace(line)), nil
			}
		}
		select {
		case <-time.After(lookAgain):
		case <-done:
			return "", fmt.Errorf("%s ended without saying %q; its last words:\n%s", p.name, text, measure.Tail(string(data), 20))
		case <-ctx.Done():
			return "", fmt.Errorf("%s did not say %q: %w; see %s", p.name, text, ctx.Err(), p.log)
		}
	}
}
