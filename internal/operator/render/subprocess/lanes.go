// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/operator/hook"
)

const (
	// quick is how long a rendering may keep others from a worker; a usual one takes less than a millisecond.
	quick = 500 * time.Millisecond
	// slowAgain is when an object is tried again that found another one in the slow lane, for each that there is: the log should not fill.
	slowAgain, slowLast = time.Second, 30 * time.Second
	// maxKnown bounds what is remembered of objects: those that are deleted are never asked about again.
	maxKnown = 10_000
)

// lanes keep objects whose renderings take long, or exceed a bound, from holding up the others: they are rendered one at a time, while the
// workers that they do not occupy go on, and those that exceeded a bound wait longer each time.
type lanes struct {
	turns chan struct{} // of quick renderings
	slow  chan struct{}

	mu    sync.Mutex
	known map[string]*record // the objects in the slow lane
}

// record is what is remembered of an object and a question about it.
type record struct {
	exceeded int       // times in a row
	until    time.Time // not to be rendered before
	err      error
	request  uint64 // with another one the object may be harmless, and is tried as if nothing was known
	// waiting is since when the object waits for the slow lane, and asked when it last asked for it.
	waiting, asked time.Time
}

var seed = maphash.MakeSeed()

func newLanes(parallel int) *lanes {
	return &lanes{turns: make(chan struct{}, parallel), slow: make(chan struct{}, 1), known: map[string]*record{}}
}

// enter waits for a turn, or puts an object off. The rendering may last as long as limit.
func (l *lanes) enter(ctx context.Context, key string, request []byte, timeout time.Duration) (leave func(), limit time.Duration, err error) {
	l.mu.Lock()
	var r record
	if known := l.known[key]; known != nil && known.request == maphash.Bytes(seed, request) {
		r = *known
	}
	again := min(time.Duration(len(l.known))*slowAgain, slowLast)
	l.mu.Unlock()
	switch wait := time.Until(r.until); {
	case wait > 0:
		return nil, 0, &hook.RetryAfterError{After: wait, Err: r.err}
	case r.request == 0:
		select {
		case l.turns <- struct{}{}:
			return func() { <-l.turns }, min(quick, timeout), nil
		case <-ctx.Done():
			return nil, 0, context.Cause(ctx)
		}
	}
	if l.first(key, again) {
		select {
		case l.slow <- struct{}{}:
			l.served(key)
			return func() { <-l.slow }, timeout, nil
		default:
		}
	}
	return nil, 0, &hook.RetryAfterError{After: again, Err: errors.New("another object's rendering is slow")}
}

// first reports whether no object that still asks has waited longer for the slow lane: the one that asks most often must not
// always be the one that is served.
func (l *lanes) first(key string, again time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, now := l.known[key], time.Now()
	if r == nil {
		return true // the templates changed meanwhile
	}
	if r.waiting.IsZero() {
		r.waiting = now
	}
	r.asked = now
	for _, other := range l.known {
		if !other.waiting.IsZero() && other.waiting.Before(r.waiting) && now.Sub(other.asked) < 2*again {
			return false
		}
	}
	return true
}

// served notes that an object waits no longer.
func (l *lanes) served(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.known[key]; r != nil {
		r.waiting = time.Time{}
	}
}

// ended notes how a rendering ended, and returns the error for it.
func (l *lanes) ended(key string, request []byte, took, limit, timeout time.Duration, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	exceeded, ok := errors.AsType[*BoundError](err)
	if !ok {
		delete(l.known, key)
		return err
	}
	r := l.known[key]
	if r == nil {
		if len(l.known) >= maxKnown {
			clear(l.known)
		}
		r = &record{}
		l.known[key] = r
	}
	r.request = maphash.Bytes(seed, request)
	if exceeded.Bound == Time && limit < timeout {
		r.until = time.Time{}
		return &hook.RetryAfterError{After: time.Millisecond, Err: errors.New("rendering is slow; it is retried separately from other objects")}
	}
	r.exceeded++
	r.until, r.err = time.Now().Add(pause(r.exceeded, took)), err
	return err
}

// forget gives all objects another chance: the templates changed.
func (l *lanes) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.known)
}
