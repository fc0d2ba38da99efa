package hook

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

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

// readAnswers reads lines until there are no more, or one is too long.
func (s *server) readAnswers(out io.Reader) {
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := readLine(lines, s.owner.limit+min(envelope, math.MaxInt64-s.owner.limit))
		if errors.Is(err, errTooLarge) {
			s.owner.mu.Lock()
			s.kill(tooLarge(s.owner.limit))
			s.owner.mu.Unlock()
			_, _ = io.Copy(io.Discard, lines) // until it is dead
			return
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && s.take(line) {
			s.stderr.refill()
		}
		if err != nil {
			return
		}
	}
}

// readLine reads a line. It is good until the next one is read.
func readLine(r *bufio.Reader, limit int64) ([]byte, error) {
	part, err := r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		if int64(len(part)) > limit {
			return nil, errTooLarge
		}
		return part, err
	}
	line := append(make([]byte, 0, 4*len(part)), part...)
	for {
		part, err = r.ReadSlice('\n')
		if int64(len(line)+len(part)) > limit {
			return nil, errTooLarge
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// take hands an answer to the call that it belongs to, and tells whether there was one.
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

// rubbish is a line that is no answer. Where several calls wait, none can be blamed. The owner's lock is held.
func (s *server) rubbish(line []byte) {
	err := private(errors.New("a line on stdout is no answer"), fmt.Sprintf(": %s; print answers only, and the rest to stderr", show(line)))
	if w, ok := s.only(); ok {
		w.deliver(result{err: err})
		return
	}
	s.owner.log.Warn("Hook printed a line that is no answer", "program", s.owner.program.name, "line", printable(text.Cut(line, shown)), "calls", len(s.pending))
}
