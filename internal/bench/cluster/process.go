package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/crdctl/crdctl/internal/bench/measure"
	"github.com/crdctl/crdctl/internal/proc"
)

// patience bounds every wait: nothing here takes a tenth of that.
const patience = 3 * time.Minute

// process is a program that runs while something is measured.
type process struct {
	*proc.Process
	lines *lines
	began time.Time
	name  string
}

// start starts a program. It is stopped as by Ctrl-C.
func start(s measure.Side) (*process, error) {
	p := &process{lines: &lines{}, name: s.Argv[0], began: time.Now()}
	var err error
	p.Process, err = proc.Start(proc.Options{
		Path: s.Argv[0], Args: s.Argv[1:], Dir: s.Dir, Env: s.Env, Stdout: p.lines, Stderr: p.lines,
		StopSignal: os.Interrupt, Grace: 30 * time.Second,
	})
	return p, err
}

// await waits for the program to say something, and returns the place after that in what it said.
func (p *process) await(ctx context.Context, from int, text string) (line, int, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New("it took too long; see what keeps the machine busy"))
	defer cancel()
	said, next, err := p.lines.await(ctx, p.Done(), from, text)
	if err != nil {
		err = fmt.Errorf("%s: %w", p.name, err)
	}
	return said, next, err
}

// stop ends the program, and says if that was not an orderly end: then what was measured may not be what it seems.
func (p *process) stop() error {
	if p.Stop() {
		return fmt.Errorf("%s did not stop and was killed", p.name)
	}
	if err := p.Err(); err != nil {
		return fmt.Errorf("%s: %w; its last words:\n%s", p.name, err, p.lines.tail(20))
	}
	return nil
}
