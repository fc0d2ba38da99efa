package renderhelper

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/loop/hook"
)

const (
	// quick is how long a rendering may keep others from a worker; a usual one takes less than a millisecond.
	quick = 500 * time.Millisecond
	// slowAgain is when an object is tried again that found another one in the slow lane.
	slowAgain = time.Second
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
	until    time.Time // not to be rendered before, unless the request changes
	request  uint64
	err      error
}

var seed = maphash.MakeSeed()

func newLanes(parallel int) *lanes {
	return &lanes{turns: make(chan struct{}, parallel), slow: make(chan struct{}, 1), known: map[string]*record{}}
}

// enter waits for a turn, or puts an object off. The rendering may last as long as limit.
func (l *lanes) enter(ctx context.Context, key string, request []byte, timeout time.Duration) (leave func(), limit time.Duration, err error) {
	l.mu.Lock()
	r := l.known[key]
	var wait time.Duration
	if r != nil && r.request == maphash.Bytes(seed, request) {
		wait = time.Until(r.until)
	}
	l.mu.Unlock()
	switch {
	case wait > 0:
		return nil, 0, &hook.RetryAfterError{After: wait, Err: r.err}
	case r == nil:
		select {
		case l.turns <- struct{}{}:
			return func() { <-l.turns }, min(quick, timeout), nil
		case <-ctx.Done():
			return nil, 0, context.Cause(ctx)
		}
	}
	select {
	case l.slow <- struct{}{}:
		return func() { <-l.slow }, timeout, nil
	default:
		return nil, 0, &hook.RetryAfterError{After: slowAgain, Err: errors.New("another object's rendering takes long")}
	}
}

// ended notes how a rendering ended, and returns the error for it.
func (l *lanes) ended(key string, request []byte, took, limit, timeout time.Duration, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	exceeded := (*BoundError)(nil)
	if !errors.As(err, &exceeded) {
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
	if exceeded.Bound == Time && limit < timeout {
		return &hook.RetryAfterError{After: time.Millisecond, Err: errors.New("the rendering takes long; it is repeated apart from those of other objects")}
	}
	r.exceeded++
	r.until, r.request, r.err = time.Now().Add(pause(r.exceeded, took)), maphash.Bytes(seed, request), err
	return err
}

// forget gives all objects another chance: the templates changed.
func (l *lanes) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.known)
}
