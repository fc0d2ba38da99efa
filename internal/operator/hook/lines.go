// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/crdctl/crdctl/internal/text"
)

// envelope is how much longer than an answer its line may be.
const envelope = 1 << 10

// request is the beginning of a line to a persistent process; the body follows as it is.
type request struct {
	ID   uint64 `json:"id"`
	Hook Op     `json:"hook"`
	Kind string `json:"kind"`
	Key  string `json:"key"`
}

// response is a line from it.
type response struct {
	ID       *uint64         `json:"id"`
	Response json.RawMessage `json:"response"`
	Error    *string         `json:"error"`
}

// requestLine puts a call into one line. The body is not decoded: it may be large.
func requestLine(id uint64, c Call) ([]byte, error) {
	head, err := json.Marshal(request{ID: id, Hook: c.Op, Kind: c.Kind, Key: c.Key})
	if err != nil {
		return nil, err
	}
	line := bytes.NewBuffer(make([]byte, 0, len(head)+len(c.Body)+16))
	line.Write(head[:len(head)-1])
	line.WriteString(`,"request":`)
	if bytes.ContainsAny(c.Body, "\n\r") {
		if err := json.Compact(line, c.Body); err != nil {
			return nil, fmt.Errorf("the request is not JSON: %w", err)
		}
	} else {
		line.Write(c.Body)
	}
	line.WriteString("}\n")
	return line.Bytes(), nil
}

// printed takes a line of what the process printed; one that is too long ends the process.
func (s *server) printed(line []byte) error {
	if s.out.lost > 0 {
		s.owner.mu.Lock()
		defer s.owner.mu.Unlock()
		s.kill(tooLarge(s.owner.limit))
		return errTooLarge
	}
	if line = bytes.TrimSpace(line); len(line) > 0 && s.take(line) {
		s.stderr.refill()
	}
	return nil
}

// lineWriter hands on the lines that are written to it. Of a line that is too long it hands on the beginning, at once.
type lineWriter struct {
	limit int64
	take  func([]byte) error // the line is good until it returns
	part  []byte             // of a line
	skips bool               // what comes is the rest of a line that was too long
	lost  int64              // bytes that were skipped
}

func (w *lineWriter) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		line, after, ends := bytes.Cut(rest, []byte("\n"))
		rest = after
		if w.skips {
			w.lost += int64(len(line))
			w.skips = !ends
			continue
		}
		w.part = append(w.part, line...)
		over := int64(len(w.part)) - w.limit
		if over > 0 {
			w.lost, w.part, w.skips = w.lost+over, w.part[:w.limit], !ends
		}
		if ends || over > 0 {
			if err := w.flush(); err != nil {
				return 0, err
			}
		}
	}
	return len(b), nil
}

// flush hands on a line, or the last one, which may be empty and have no end.
func (w *lineWriter) flush() (err error) {
	err = w.take(w.part)
	if w.part = w.part[:0]; cap(w.part) > 64<<10 {
		w.part = nil // the next one is not as long
	}
	return err
}

// take hands an answer to the call that it belongs to, and reports whether there was one.
func (s *server) take(line []byte) bool {
	var r response
	err := json.Unmarshal(line, &r)
	s.owner.mu.Lock()
	defer s.owner.mu.Unlock()
	if err != nil || r.ID == nil {
		s.rubbish(line)
		return false
	}
	s.answers++
	w := s.pending[*r.ID]
	if w == nil {
		return false // it is late, and its call has ended
	}
	s.owner.failures = 0
	switch {
	case r.Error != nil:
		w.deliver(result{err: private(errors.New("it answered with an error"), ": "+show([]byte(*r.Error)))})
	case r.Response == nil:
		w.deliver(result{err: private(errors.New("the answer has neither response nor error"), fmt.Sprintf(": %s; print {\"id\":%d,\"response\":{…}}", show(line), w.id))})
	default:
		err := checkAnswer(r.Response)
		w.deliver(result{answer: r.Response, err: err})
	}
	return true
}

// rubbish handles a line that is not an answer. Where several calls wait, it cannot know whose it is. The owner's lock is held.
func (s *server) rubbish(line []byte) {
	err := private(errors.New("a line on stdout is not an answer"), fmt.Sprintf(": %s; print answers only, and the rest to stderr", show(line)))
	if w, ok := s.only(); ok {
		w.deliver(result{err: err})
		return
	}
	s.owner.log.Warn("Hook printed a line that is not an answer", "program", s.owner.program.name, "line", printable(text.Cut(line, shown)), "calls", len(s.pending))
}
