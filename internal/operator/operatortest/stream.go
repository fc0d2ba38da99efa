// SPDX-License-Identifier: Apache-2.0

package operatortest

import (
	"context"
	"io"
	"sync"
)

// stream is the body of a watch's answer. Other than io.Pipe it does not hold up who writes.
type stream struct {
	mu     sync.Mutex
	more   *sync.Cond
	data   []byte
	err    error
	unhook func() bool
}

// newStream ends with the request's context, as a connection does.
func newStream(ctx context.Context) *stream {
	s := &stream{}
	s.more = sync.NewCond(&s.mu)
	s.unhook = context.AfterFunc(ctx, func() { s.end(ctx.Err()) })
	return s
}

func (s *stream) write(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = append(s.data, text...)
	s.more.Broadcast()
}

// end has reads fail with err once everything is read.
func (s *stream) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	s.more.Broadcast()
}

func (s *stream) Read(to []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.data) == 0 && s.err == nil {
		s.more.Wait()
	}
	if len(s.data) == 0 {
		return 0, s.err
	}
	n := copy(to, s.data)
	s.data = s.data[n:]
	return n, nil
}

func (s *stream) Close() error {
	s.unhook()
	s.end(io.ErrClosedPipe)
	return nil
}
