package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// line is what a program said, and when.
type line struct {
	text string
	at   time.Time
}

// lines keeps what a program says, and lets others wait for it. It is an io.Writer, for one that writes and many that wait.
type lines struct {
	mu   sync.Mutex
	rest []byte // of a line that is not complete
	all  []line
	more chan struct{} // closed at the next line; nil if nobody waits
}

// Write adds what was said. All lines of one write came at the same time.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.rest = append(l.rest, p...)
	for {
		text, rest, complete := bytes.Cut(l.rest, []byte("\n"))
		if !complete {
			break
		}
		l.all = append(l.all, line{string(text), now})
		l.rest = rest
		if l.more != nil {
			close(l.more)
			l.more = nil
		}
	}
	return len(p), nil
}

// count is how many lines there are: a place to look from later.
func (l *lines) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}

// times is how many lines contain a text.
func (l *lines) times(text string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, said := range l.all {
		if strings.Contains(said.text, text) {
			n++
		}
	}
	return n
}

// find looks for a line that contains a text, at a place or later. Where there is none, more is closed when there is news.
func (l *lines) find(from int, text string) (found line, at int, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := from; i < len(l.all); i++ {
		if strings.Contains(l.all[i].text, text) {
			return l.all[i], i, nil
		}
	}
	if l.more == nil {
		l.more = make(chan struct{})
	}
	return line{}, 0, l.more
}

// await waits for a line that contains a text, at a place or later, and returns the place after it, too. The end of the
// program ends the waiting.
func (l *lines) await(ctx context.Context, ended <-chan struct{}, from int, text string) (line, int, error) {
	for {
		found, at, more := l.find(from, text)
		if more == nil {
			return found, at + 1, nil
		}
		var why error
		select {
		case <-more:
			continue
		case <-ended:
			why = fmt.Errorf("ended without saying %q", text)
		case <-ctx.Done():
			why = fmt.Errorf("did not say %q: %w", text, context.Cause(ctx))
		}
		if found, at, more = l.find(from, text); more == nil { // said with its last breath
			return found, at + 1, nil
		}
		return line{}, 0, fmt.Errorf("%w; its last words:\n%s", why, l.tail(20))
	}
}

// quiet waits until nothing was said for a time.
func (l *lines) quiet(ctx context.Context, silence time.Duration) error {
	for {
		_, _, more := l.find(l.count(), "")
		if more == nil {
			continue
		}
		select {
		case <-more:
		case <-time.After(silence):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (l *lines) tail(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for _, said := range l.all[max(0, len(l.all)-n):] {
		b.WriteString(said.text + "\n")
	}
	return b.String()
}
