// SPDX-License-Identifier: Apache-2.0

package program

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/crdctl/crdctl/internal/proc"
)

// Process is a program that runs while something is measured or tested.
type Process struct {
	*proc.Process
	Output
	Began time.Time
	name  string
}

// Start starts a program that is stopped by an interrupt, unless a change of the options says otherwise. Its output
// also goes to s.Log.
func Start(s Side, changes ...func(*proc.Options)) (*Process, error) {
	p := &Process{name: s.Argv[0], Began: time.Now()}
	p.tee = s.Log
	o := proc.Options{
		Path: s.Argv[0], Args: s.Argv[1:], Dir: s.Dir, Env: s.Env, Stdout: &p.Output, Stderr: &p.Output, StopSignal: os.Interrupt, Grace: 40 * time.Second,
	}
	for _, change := range changes {
		change(&o)
	}
	var err error
	p.Process, err = proc.Start(o)
	return p, err
}

// Await waits until the program has written a text after a position in its output. It returns when that was written,
// and the position after it.
func (p *Process) Await(ctx context.Context, from int, text string) (at time.Time, next int, err error) {
	if at, next, err = p.await(ctx, p.Done(), from, text); err != nil {
		err = fmt.Errorf("%s: %w", p.name, err)
	}
	return at, next, err
}

// End ends the program. It is an error if that was not orderly: then a measurement may not be what it seems.
func (p *Process) End() error {
	if p.Stop() {
		return fmt.Errorf("%s did not stop and was killed", p.name)
	}
	if err := p.Err(); err != nil {
		return fmt.Errorf("%s: %w; the end of its output:\n%s", p.name, err, p.Tail(20))
	}
	return nil
}
