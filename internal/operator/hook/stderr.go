// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"bytes"
	"log/slog"
	"slices"
	"sync"

	"github.com/crdctl/crdctl/internal/text"
)

const (
	// maxLine is how much of one line of stderr goes to the log.
	maxLine = 4 << 10
	// maxStderr is how much of stderr goes to the log for one call.
	maxStderr = 64 << 10
	// perLine is what a line costs in the log besides its text.
	perLine = 100
)

// stderrLog carries what a program prints to stderr to the log, line by line, and only so much of it. It reads all of it: a
// program whose stderr is not read stands still.
type stderrLog struct {
	log   *slog.Logger
	attrs func() []any // whose line it is

	mu    sync.Mutex
	lines lineWriter
	now   []any // attrs of what is written now
	left  int   // bytes that may still be logged
	out   int64 // bytes of whole lines that were left out
	last  []byte
	fold  *folding          // nil where nothing is left out that was there before
	seen  func(line string) // gets each line that is not left out; may be nil
}

func newStderrLog(log *slog.Logger, attrs func() []any) *stderrLog {
	s := &stderrLog{log: log, attrs: attrs, left: maxStderr}
	s.lines = lineWriter{limit: maxLine, take: s.add}
	return s
}

func (s *stderrLog) Write(b []byte) (int, error) {
	attrs := s.attrs() // before the lock: it takes its owner's
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = attrs
	return s.lines.Write(b)
}

func (s *stderrLog) add(line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	line = bytes.TrimRight(line, "\r")
	s.last = append(s.last[:0], text.Cut(line, shown)...)
	cost := len(line) + perLine
	if cost > s.left {
		s.left = 0 // and no shorter line after it: a gap in the middle would not be seen
		s.out += int64(len(line))
		return nil
	}
	s.left -= cost
	if s.seen != nil {
		s.seen(printable(line))
	}
	s.write(s.fold.take(printable(line)))
	return nil
}

func (s *stderrLog) write(lines []string) {
	for _, line := range lines {
		s.log.Info("Hook stderr", append(slices.Clip(s.now), "line", line)...)
	}
}

// finish takes a last line that has no end: the program has ended.
func (s *stderrLog) finish() {
	s.mu.Lock()
	_ = s.lines.flush() // add has no errors
	s.mu.Unlock()
	s.refill()
}

// end logs what was held back of a call's lines, unless the call failed and they are those of the failure before it.
func (s *stderrLog) end(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(s.fold.end(failed))
}

// refill says what was left out, and lets as much through again: another call begins.
func (s *stderrLog) refill() {
	attrs := s.attrs()
	s.mu.Lock()
	defer s.mu.Unlock()
	if out := s.out + s.lines.lost; out > 0 {
		s.log.Warn("Hook stderr truncated", append(attrs, "bytes", out, "limit", maxStderr)...)
	}
	s.left, s.out, s.lines.lost = maxStderr, 0, 0
}

// tail is the last line, for an error; empty if there was none.
func (s *stderrLog) tail() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.last) == 0 {
		return ""
	}
	return "; its last line on stderr was " + show(s.last)
}
