package hook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
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
	return fmt.Errorf("no answer within %s: make it quicker, or raise --hook-timeout (loop.timeout)", after)
}

func (p *perCall) call(ctx context.Context, c Call) (_ []byte, err error) {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	child, err := p.program.start([]string{"CRDCTL_HOOK=" + string(c.Op), "CRDCTL_KIND=" + c.Kind, "CRDCTL_KEY=" + c.Key}, drain, true)
	if err != nil {
		return nil, err
	}
	written, answered, logged := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(written)
		// An error is no trouble: the program does not want to know, and may answer all the same.
		_, _ = child.in.Write(c.Body)
		_ = child.in.Close()
	}()
	var answer []byte
	var readErr error
	flood := make(chan struct{})
	go func() {
		defer close(answered)
		if answer, readErr = readUpTo(child.out, p.limit); errors.Is(readErr, errTooLarge) {
			answer = nil // of no use any more
			close(flood)
		}
	}()
	stderr := newStderrLog(p.log, func() []any { return []any{"kind", c.Kind, "key", c.Key, "hook", string(c.Op)} })
	stderr.fold = p.said.about(c.Kind + " " + c.Key)
	defer func() { stderr.end(err != nil) }()
	go func() {
		defer close(logged)
		stderr.read(child.errs)
	}()

	killed := p.wait(ctx, child, flood)
	stop := child.hangUp()
	<-written
	<-answered
	<-logged
	stop()
	_, _ = child.out.Close(), child.errs.Close()
	child.Stop() // it has ended; this frees what waits for it

	switch {
	case errors.Is(readErr, errTooLarge): // before what followed from it: the program is killed, or its pipe is broken
		return nil, tooLarge(p.limit)
	case errors.Is(killed, errTimeout):
		return nil, private(timedOut(p.timeout), stderr.tail())
	case killed != nil:
		return nil, killed
	case child.Err() != nil:
		return nil, private(fmt.Errorf("it ended with %w", child.Err()), stderr.tail()+said(answer)+"; fix the program")
	}
	if err := checkAnswer(answer); err != nil {
		return nil, private(err, stderr.tail())
	}
	return answer, nil
}

// wait waits for the end of the program, and makes it end when it is time. The error is why it was killed.
func (p *perCall) wait(ctx context.Context, c *child, flood <-chan struct{}) error {
	timer := time.NewTimer(p.timeout)
	defer timer.Stop()
	var why error
	select {
	case <-c.Done():
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
	return "; on stdout it said " + show(answer)
}
