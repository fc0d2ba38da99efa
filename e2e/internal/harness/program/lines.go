package program

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Line is what a program said, and when.
type Line struct {
	Text string
	At   time.Time
}

// Lines keeps what a program says, and lets others wait for it. It is an io.Writer, for one that writes and many that wait.
type Lines struct {
	mu   sync.Mutex
	rest []byte // of a line that is not complete
	all  []Line
	more chan struct{} // closed at the next line; nil if nobody waits
}

// Write adds what was said. All lines of one write came at the same time.
func (l *Lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.rest = append(l.rest, p...)
	for {
		text, rest, complete := bytes.Cut(l.rest, []byte("\n"))
		if !complete {
			break
		}
		l.all = append(l.all, Line{string(text), now})
		l.rest = rest
		if l.more != nil {
			close(l.more)
			l.more = nil
		}
	}
	return len(p), nil
}

// Count is how many lines there are: a place to look from later.
func (l *Lines) Count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}

// Times is how many lines contain a text.
func (l *Lines) Times(text string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, said := range l.all {
		if strings.Contains(said.Text, text) {
			n++
		}
	}
	return n
}

// TimesWhole is how many lines are a text and nothing more.
func (l *Lines) TimesWhole(text string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, said := range l.all {
		if said.Text == text {
			n++
		}
	}
	return n
}

// find looks for a line that contains a text, at a place or later. Where there is none, more is closed when there is news.
func (l *Lines) find(from int, text string) (found Line, at int, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := from; i < len(l.all); i++ {
		if strings.Contains(l.all[i].Text, text) {
			return l.all[i], i, nil
		}
	}
	if l.more == nil {
		l.more = make(chan struct{})
	}
	return Line{}, 0, l.more
}

// Await waits for a line that contains a text, at a place or later, and returns the place after it, too. The end of the
// program ends the waiting.
func (l *Lines) Await(ctx context.Context, ended <-chan struct{}, from int, text string) (Line, int, error) {
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
		return Line{}, 0, fmt.Errorf("%w; its last words:\n%s", why, l.Tail(20))
	}
}

// Quiet waits until nothing was said for a time.
func (l *Lines) Quiet(ctx context.Context, silence time.Duration) error {
	for {
		_, _, more := l.find(l.Count(), "")
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

// Tail are the last lines.
func (l *Lines) Tail(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for _, said := range l.all[max(0, len(l.all)-n):] {
		b.WriteString(said.Text + "\n")
	}
	return b.String()
}
