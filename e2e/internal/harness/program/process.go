// Package program is a program that runs while something is measured: it is started, listened to, talked to and stopped.
// It knows nothing of what the program is.
package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/internal/proc"
)

// Patience bounds every wait: nothing here takes a tenth of that.
const Patience = 3 * time.Minute

// Process is a program that runs while something is measured.
type Process struct {
	*proc.Process
	Lines *Lines
	Began time.Time
	name  string
	input *os.File // nil where the program is not talked to
}

// Start starts a program. It is stopped as by Ctrl-C.
func Start(s measure.Side) (*Process, error) { return start(s, nil) }

// StartTalking starts a program that takes lines on its standard input, see Say.
func StartTalking(s measure.Side) (*Process, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for %s: %w", s.Argv[0], err)
	}
	p, err := start(s, reader)
	err = errors.Join(err, reader.Close()) // the program has its own
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	p.input = writer
	return p, nil
}

func start(s measure.Side, input *os.File) (*Process, error) {
	o := proc.Options{
		Path: s.Argv[0], Args: s.Argv[1:], Dir: s.Dir, Env: s.Env, StopSignal: os.Interrupt, Grace: 30 * time.Second,
	}
	if input != nil {
		o.Stdin = input
	}
	p := &Process{Lines: &Lines{}, name: s.Argv[0], Began: time.Now()}
	o.Stdout, o.Stderr = p.Lines, p.Lines
	var err error
	p.Process, err = proc.Start(o)
	return p, err
}

// Say writes a line to the program.
func (p *Process) Say(text string) error {
	if _, err := p.input.WriteString(text + "\n"); err != nil {
		return fmt.Errorf("say %q to %s: %w; its last words:\n%s", text, p.name, err, p.Lines.Tail(20))
	}
	return nil
}

// Await waits for the program to say something, and returns the place after that in what it said.
func (p *Process) Await(ctx context.Context, from int, text string) (Line, int, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, Patience, errors.New("it took too long; see what keeps the machine busy"))
	defer cancel()
	said, next, err := p.Lines.Await(ctx, p.Done(), from, text)
	if err != nil {
		err = fmt.Errorf("%s: %w", p.name, err)
	}
	return said, next, err
}

// End ends the program, and says if that was not an orderly end: then what was measured may not be what it seems.
func (p *Process) End() error {
	killed := p.Stop()
	if p.input != nil {
		_ = p.input.Close() // nobody reads it any more
	}
	if killed {
		return fmt.Errorf("%s did not stop and was killed", p.name)
	}
	if err := p.Err(); err != nil {
		return fmt.Errorf("%s: %w; its last words:\n%s", p.name, err, p.Lines.Tail(20))
	}
	return nil
}
