// SPDX-License-Identifier: Apache-2.0

package hook

// result is how a call ended.
type result struct {
	answer []byte
	err    error
}

// waiting is a call that has no answer yet.
type waiting struct {
	id            uint64
	call          Call
	answersBefore uint64 // how many answers the process had given when the call was made
	result        chan result
}

// deliver ends a call. Only the first result counts.
func (w *waiting) deliver(r result) {
	select {
	case w.result <- r:
	default:
	}
}

// attrs say whose line of stderr it is, as far as that can be told.
func (s *server) attrs() []any {
	s.owner.mu.Lock()
	defer s.owner.mu.Unlock()
	if c, ok := s.only(); ok {
		return []any{"kind", c.call.Kind, "key", c.call.Key, "hook", string(c.call.Op)}
	}
	return []any{"hook", s.owner.program.name, "calls", len(s.pending)}
}

// observed passes a line of stderr on to the call that it belongs to, as far as that can be told.
func (s *server) observed(line string) {
	s.owner.mu.Lock()
	defer s.owner.mu.Unlock()
	if c, ok := s.only(); ok && c.call.Observer != nil {
		c.call.Observer.Printed(line)
	}
}

// only is the call that the process is at, if it is one. The owner's lock is held.
func (s *server) only() (*waiting, bool) {
	if len(s.pending) != 1 {
		return nil, false
	}
	for _, w := range s.pending {
		return w, true
	}
	return nil, false
}
