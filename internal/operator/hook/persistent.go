// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/proc"
)

const (
	firstPause = 100 * time.Millisecond // before a process that ended is started again; doubled each time
	lastPause  = 30 * time.Second
)

// persistent has one process serve all calls, and starts it again when it ends.
type persistent struct {
	target  Target
	program program
	timeout time.Duration
	limit   int64
	log     *slog.Logger

	mu       sync.Mutex
	current  *server          // takes new calls; nil until the first call, and after an end
	alive    map[*server]bool // the current one, and those that were replaced and have calls to finish
	lastID   uint64
	failures int // ends since the last answer
	notUntil time.Time
	closing  chan struct{}
	running  sync.WaitGroup
}

func newPersistent(t Target, p program, o Options) *persistent {
	return &persistent{target: t, program: p, timeout: o.Timeout, limit: o.MaxAnswer, log: o.Log, alive: map[*server]bool{}, closing: make(chan struct{})}
}

func (p *persistent) call(ctx context.Context, c Call) ([]byte, error) {
	s, w, err := p.begin(c)
	if err != nil {
		return nil, err
	}
	defer s.forget(w)
	line, err := requestLine(w.id, c)
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(p.timeout)
	defer timer.Stop()
	requests := s.requests
	for {
		select {
		case requests <- line:
			requests, line = nil, nil // once
			c.started()
		case r := <-w.result:
			return r.answer, r.err
		case <-timer.C:
			return nil, s.late(w)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// begin books a call with the process that takes calls, and starts one if there is none.
func (p *persistent) begin(c Call) (*server, *waiting, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.closing:
		return nil, nil, ErrClosed
	default:
	}
	if p.current == nil {
		if wait := time.Until(p.notUntil); wait > 0 {
			// The worker is not held up: it has other keys.
			return nil, nil, &RetryAfterError{After: wait, Err: errors.New("the process ended and is not restarted yet; see the log for the reason")}
		}
		if err := p.start(); err != nil {
			return nil, nil, &RetryAfterError{After: p.pause(), Err: err}
		}
	}
	p.lastID++
	w := &waiting{id: p.lastID, call: c, answersBefore: p.current.answers, result: make(chan result, 1)}
	p.current.pending[w.id] = w
	return p.current, w, nil
}

// start starts a process. The lock is held.
func (p *persistent) start() error {
	stdin, in, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("%w; %s", err, startAdvice(err))
	}
	defer stdin.Close() //nolint:errcheck // the process has it
	s := &server{owner: p, in: in, requests: make(chan []byte), gone: make(chan struct{}), idle: make(chan struct{}), pending: map[uint64]*waiting{}}
	s.stderr = newStderrLog(p.log, s.attrs)
	s.stderr.seen = s.observed
	s.out = &lineWriter{limit: p.limit + envelope, take: s.printed}
	s.child, err = p.program.start(proc.Options{Stdin: stdin, Stdout: s.out, Stderr: s.stderr, Grace: stopGrace}, "CRDCTL_HOOK_PERSISTENT=1")
	if err != nil {
		_ = in.Close()
		return err
	}
	p.current, p.alive[s] = s, true
	p.log.Debug("Hook process started", "program", p.program.name, "pid", s.child.PID())
	p.running.Go(s.run)
	return nil
}

// pause notes that a process ended without having been asked to, and says when the next one may be started. The lock is held.
func (p *persistent) pause() time.Duration {
	wait := lastPause
	if p.failures < 9 { // 100 ms, doubled nine times, is beyond it
		wait = min(firstPause<<p.failures, lastPause)
	}
	p.failures++
	p.notUntil = time.Now().Add(wait)
	return wait
}

// replace has the next call start a new process. The old one may finish what it is at.
func (p *persistent) replace() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failures, p.notUntil = 0, time.Time{} // what did not start yesterday may start now
	if p.current == nil {
		return
	}
	s := p.current
	p.current, s.leaving = nil, true
	if len(s.pending) == 0 {
		close(s.idle)
	}
	p.running.Go(s.leave)
}

// close ends all processes.
func (p *persistent) close() {
	p.mu.Lock()
	close(p.closing)
	p.current = nil
	for s := range p.alive {
		if !s.leaving {
			s.leaving = true
			p.running.Go(s.stop)
		}
	}
	p.mu.Unlock()
	p.running.Wait()
}

// ended notes the end of a process. The error is for the calls that it did not answer.
func (p *persistent) ended(s *server, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.alive, s)
	if p.current == s {
		p.current = nil
	}
	if !s.leaving {
		p.log.Warn("Hook process ended; restarting", "program", p.program.name, "err", why, "after", p.pause())
	}
	for _, w := range s.pending {
		w.deliver(result{err: fmt.Errorf("the process ended before it answered: %w", why)})
	}
}
