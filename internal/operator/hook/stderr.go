package hook

import (
	"bufio"
	"bytes"
	"errors"
	"io"
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
// program whose stderr nobody reads stands still.
type stderrLog struct {
	log   *slog.Logger
	attrs func() []any // whose line it is

	mu   sync.Mutex
	left int   // bytes that may still be logged
	out  int64 // bytes that were left out
	last []byte
	fold *folding // nil where nothing is left out that was there before
}

func newStderrLog(log *slog.Logger, attrs func() []any) *stderrLog {
	return &stderrLog{log: log, attrs: attrs, left: maxStderr}
}

// read reads until the end.
func (s *stderrLog) read(r io.Reader) {
	lines := bufio.NewReaderSize(r, maxLine)
	inLine := false // what comes is the rest of a line that was too long
	for {
		part, err := lines.ReadSlice('\n')
		if len(part) > 0 {
			s.add(part, inLine)
		}
		inLine = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !inLine {
			s.refill()
			return
		}
	}
}

func (s *stderrLog) add(part []byte, rest bool) {
	attrs := s.attrs() // before the lock: it takes its owner's
	s.mu.Lock()
	defer s.mu.Unlock()
	line := bytes.TrimRight(part, "\r\n")
	if rest {
		s.out += int64(len(line))
		return
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	s.last = append(s.last[:0], text.Cut(line, shown)...)
	cost := len(line) + perLine
	if cost > s.left {
		s.left = 0 // and no shorter line after it: a gap in the middle would not be seen
		s.out += int64(len(line))
		return
	}
	s.left -= cost
	for _, line := range s.fold.take(printable(line)) {
		s.log.Info("Hook stderr", append(slices.Clip(attrs), "line", line)...)
	}
}

// end logs what was held back of a call's lines, unless the call failed and they are those of the failure before it.
func (s *stderrLog) end(failed bool) {
	attrs := s.attrs()
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.fold.end(failed)
	for _, line := range lines {
		s.log.Info("Hook stderr", append(slices.Clip(attrs), "line", line)...)
	}
}

// refill says what was left out, and lets as much through again: another call begins.
func (s *stderrLog) refill() {
	attrs := s.attrs()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out > 0 {
		s.log.Warn("Hook stderr was left out", append(attrs, "bytes", s.out, "limit", maxStderr)...)
	}
	s.left, s.out = maxStderr, 0
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
