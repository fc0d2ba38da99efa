// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/crdctl/crdctl/internal/proc"
)

// perCall starts a program for each call.
type perCall struct {
	program program
	turns   chan struct{} // programs that may run at once; shared by all hooks
	timeout time.Duration
	limit   int64
	log     *slog.Logger
	said    saidBefore
}

var errTimeout = errors.New("time-out")

func timedOut(after time.Duration) error {
	return fmt.Errorf("no answer within %s; make the hook faster, or raise --hook-timeout (loop.timeout)", after)
}

func (p *perCall) call(ctx context.Context, c Call) (_ []byte, err error) {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c.started()
	answer := &bounded{limit: p.limit, full: make(chan struct{})}
	stderr := newStderrLog(p.log, func() []any { return []any{"kind", c.Kind, "key", c.Key, "hook", string(c.Op)} })
	stderr.fold = p.said.about(c.Kind + " " + c.Key)
	if c.Observer != nil {
		stderr.seen = c.Observer.Printed
	}
	child, err := p.program.start(proc.Options{Stdin: bytes.NewReader(c.Body), Stdout: answer, Stderr: stderr, Brief: true},
		"CRDCTL_HOOK="+string(c.Op), "CRDCTL_KIND="+c.Kind, "CRDCTL_KEY="+c.Key)
	if err != nil {
		return nil, err
	}
	killed := p.wait(ctx, child, answer.full)
	child.Stop() // it has ended; this frees what waits for it
	stderr.finish()
	defer func() { stderr.end(err != nil) }()

	switch {
	case answer.over: // before what followed from it: the program is killed, or its pipe is broken
		return nil, tooLarge(p.limit)
	case errors.Is(killed, errTimeout):
		return nil, private(timedOut(p.timeout), stderr.tail())
	case killed != nil:
		return nil, killed
	case child.Err() != nil:
		return nil, private(fmt.Errorf("it ended with %w", child.Err()), stderr.tail()+said(answer.text.Bytes())+"; fix the hook")
	}
	if err := checkAnswer(answer.text.Bytes()); err != nil {
		return nil, private(err, stderr.tail())
	}
	return answer.text.Bytes(), nil
}

// bounded keeps what is written to it, up to a limit. It is not written to after that.
type bounded struct {
	limit int64
	text  bytes.Buffer
	over  bool
	full  chan struct{} // closed when it is over
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(b.text.Len()+len(p)) > b.limit {
		b.text, b.over = bytes.Buffer{}, true // it is of no use any more
		close(b.full)
		return 0, errTooLarge
	}
	return b.text.Write(p)
}

// wait waits for the end of the program, and makes it end when it is time. The error is why it was killed.
func (p *perCall) wait(ctx context.Context, c *proc.Process, flood <-chan struct{}) error {
	timer := time.NewTimer(p.timeout)
	defer timer.Stop()
	var why error
	select {
	case <-c.Exited(): // in time, even if a descendant holds its pipes for a while
		<-c.Done()
		return nil
	case <-flood:
		why = errTooLarge
	case <-timer.C:
		why = errTimeout
	case <-ctx.Done():
		why = context.Cause(ctx)
	}
	c.Kill()
	<-c.Done()
	return why
}

func said(answer []byte) string {
	if len(answer) == 0 {
		return ""
	}
	return "; its stdout was " + show(answer)
}
