// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/crdctl/crdctl/internal/proc"
)

// stopGrace is how long a process may take to end after its stdin was closed, and again after SIGTERM.
const stopGrace = 2 * time.Second

// server is one process that serves calls. What is not constant is guarded by the owner's lock.
type server struct {
	owner    *persistent
	child    *proc.Process
	in       *os.File
	out      *lineWriter
	requests chan []byte
	gone     chan struct{} // closed when no more requests are written
	idle     chan struct{} // closed when it is leaving, and has no calls
	stderr   *stderrLog

	pending map[uint64]*waiting
	answers uint64
	leaving bool  // it takes no more calls, and its end is not a failure
	why     error // it was killed
}

// run serves until the process has ended, and returns when nothing of it is left.
func (s *server) run() {
	written := make(chan struct{})
	go func() {
		defer close(written)
		s.write()
	}()
	<-s.child.Done()
	_ = s.in.Close()
	close(s.gone)
	<-written
	_ = s.out.flush() // what it printed before its end counts
	s.stderr.finish()
	s.child.Stop() // it has ended; this frees what waits for it
	s.owner.ended(s, s.reason())
}

// reason is why the process ended.
func (s *server) reason() error {
	s.owner.mu.Lock()
	why := s.why
	s.owner.mu.Unlock()
	if why == nil {
		why = errors.New("exit status 0 before crdctl stopped it; a persistent hook must read until its stdin is closed")
		if err := s.child.Err(); err != nil {
			why = fmt.Errorf("%w; fix the hook", err)
		}
	}
	return private(why, s.stderr.tail())
}

// kill ends the process at once. The owner's lock is held.
func (s *server) kill(why error) {
	if s.why == nil {
		s.why = why
		s.child.Kill()
	}
	if s.owner.current == s {
		s.owner.current = nil // no more calls for it
		s.owner.notUntil = time.Now().Add(firstPause)
	}
}

// write writes requests, one at a time, as they are handed in.
func (s *server) write() {
	for {
		select {
		case <-s.gone:
			return
		case line := <-s.requests:
			if _, err := s.in.Write(line); err != nil {
				return // it reads no more; its end, or the time-out, ends the calls
			}
		}
	}
}

// late ends a call that took too long. A process that has answered nothing since the call was made hangs: it is killed.
func (s *server) late(w *waiting) error {
	s.owner.mu.Lock()
	defer s.owner.mu.Unlock()
	err := timedOut(s.owner.timeout)
	if s.answers == w.answersBefore {
		s.kill(fmt.Errorf("it did not answer for %s and was killed", s.owner.timeout))
	}
	return private(err, s.stderr.tail())
}

// forget removes a call, answered or not.
func (s *server) forget(w *waiting) {
	s.owner.mu.Lock()
	defer s.owner.mu.Unlock()
	delete(s.pending, w.id)
	if s.leaving && len(s.pending) == 0 {
		select {
		case <-s.idle:
		default:
			close(s.idle)
		}
	}
}

// leave lets the process finish its calls, which the time-out bounds, and stops it.
func (s *server) leave() {
	select {
	case <-s.idle:
	case <-s.child.Done():
	case <-s.owner.closing:
	}
	s.stop()
}

// stop asks the process to end by closing its stdin, then by SIGTERM, and then kills it.
func (s *server) stop() {
	_ = s.in.Close()
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-s.child.Done():
	case <-timer.C:
		s.child.Stop()
	}
}
