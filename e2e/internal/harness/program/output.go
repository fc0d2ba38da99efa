// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// Patience bounds every wait: nothing here takes a tenth of that.
	Patience = 3 * time.Minute
	// PollInterval is how often a wait looks; times that are not of an output are as exact as that.
	PollInterval = 2 * time.Millisecond
)

// kept is how much of an output is kept in memory where a log has all of it.
const kept = 16 << 20

// Output keeps what a program writes, with the time of each write.
type Output struct {
	mu     sync.Mutex
	tee    io.Writer
	text   []byte
	writes []write
}

type write struct {
	end int
	at  time.Time
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.tee == nil || len(o.text) < kept {
		o.text = append(o.text, p...)
		o.writes = append(o.writes, write{len(o.text), time.Now()})
	}
	if o.tee == nil {
		return len(p), nil
	}
	return o.tee.Write(p)
}

// Text is all output so far; its length is a position to wait from.
func (o *Output) Text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

// find looks for a text from a position on. It returns the position after the text and when that was written, or
// where to go on looking.
func (o *Output) find(from int, text string) (next int, at time.Time, found bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := bytes.Index(o.text[from:], []byte(text))
	if i < 0 {
		return max(from, len(o.text)-len(text)+1), at, false
	}
	next = from + i + len(text)
	n := len(o.writes)
	for n > 0 && o.writes[n-1].end >= next {
		n--
	}
	return next, o.writes[n].at, true
}

// Line is a line that a program has written, and when it was complete.
type Line struct {
	Text string
	At   time.Time
}

// Lines returns the whole lines after a position, and the position after them.
func (o *Output) Lines(from int) (lines []Line, next int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	next = from
	write, _ := slices.BinarySearchFunc(o.writes, from+1, func(w write, at int) int { return cmp.Compare(w.end, at) })
	for {
		n := bytes.IndexByte(o.text[next:], '\n')
		if n < 0 {
			return lines, next
		}
		text := string(o.text[next : next+n])
		next += n + 1
		for o.writes[write].end < next {
			write++
		}
		lines = append(lines, Line{text, o.writes[write].at})
	}
}

// await waits for a text after a position; see Process.Await.
func (o *Output) await(ctx context.Context, ended <-chan struct{}, from int, text string) (at time.Time, next int, err error) {
	next, found := from, false
	look := func(context.Context) bool {
		next, at, found = o.find(next, text)
		return found
	}
	if err = Poll(ctx, ended, look); err != nil && look(ctx) { // it was the last thing that the program wrote
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("wait for %q: %w; the end of the output:\n%s", text, err, o.Tail(20))
	}
	return at, next, err
}

// Quiet waits until nothing has been written for a while.
func (o *Output) Quiet(ctx context.Context, silence time.Duration) error {
	return wait.PollUntilContextCancel(ctx, silence/100+1, true, func(context.Context) (bool, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		return len(o.writes) == 0 || time.Since(o.writes[len(o.writes)-1].at) >= silence, nil
	})
}

// Tail is the last lines of the output.
func (o *Output) Tail(lines int) string { return tail(o.Text(), lines) }

// Poll waits until something has happened, the program has ended, or Patience is over.
func Poll(ctx context.Context, ended <-chan struct{}, happened func(context.Context) bool) error {
	return wait.PollUntilContextTimeout(ctx, PollInterval, Patience, true, func(ctx context.Context) (bool, error) {
		select {
		case <-ended:
			return false, errors.New("the program has ended")
		default:
			return happened(ctx), nil
		}
	})
}
