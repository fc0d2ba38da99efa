// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// replica is one process of a simulation: its Shards, workers, and a network and a processor that can fail.
type replica struct {
	*Shards
	name     string
	log      *slog.Logger // nil: none
	layout   string
	end      context.CancelFunc
	gone     sync.WaitGroup
	gained   atomic.Int64
	failing  atomic.Int64 // percent of requests that go wrong
	freezes  atomic.Int64
	refusal  atomic.Pointer[error] // of every request
	jumped   atomic.Int64          // how far the wall clock was set, or went on while the monotonic one stood still
	dead     atomic.Bool           // killed: nothing gets through any more
	mu       sync.Mutex
	thawed   chan struct{} // not nil: stopped until it is closed
	stubborn time.Duration // how long work goes on after its context ended
}

// start runs a replica until stop, or the end of the simulation, ends it.
func start(t *testing.T, w *observer, name string, shards int, by string) *replica {
	t.Helper()
	return startAs(t, w, &replica{name: name}, shards, by)
}

func startAs(t *testing.T, w *observer, r *replica, shards int, by string) *replica {
	t.Helper()
	r.layout = fmt.Sprint(shards, by)
	s := New(Options{Client: &client{store: w.store, hook: r.request, resume: r.whileStopped}, Namespace: "ns", Name: "loop", Identity: r.name,
		Shards: shards, By: by, Gained: func(int) { r.gained.Add(1) }, Log: r.log})
	s.paused = r.whileStopped
	s.wall = func() time.Time { return wallClock().Add(time.Duration(r.jumped.Load())) }
	r.Shards = s
	r.stubborn = (s.o.LeaseDuration - s.o.renewDeadline()) * 4 / 5
	ctx, cancel := context.WithCancel(context.Background())
	r.end = cancel
	r.gone.Go(func() { s.Run(ctx) })
	for range w.workers {
		r.gone.Go(func() { r.work(ctx, w) })
	}
	w.add(r)
	return r
}

func (r *replica) stop() { r.end(); r.gone.Wait() }

// kill is SIGKILL as the others see it: from now on nothing comes from this replica. Its goroutines end by themselves.
func (r *replica) kill() { r.dead.Store(true); r.end() }

// freeze is SIGSTOP: nothing runs, and the clock goes on.
func (r *replica) freeze(d time.Duration) {
	thawed := make(chan struct{})
	r.freezes.Add(1)
	r.mu.Lock()
	r.thawed = thawed
	r.mu.Unlock()
	time.Sleep(d)
	r.mu.Lock()
	r.thawed = nil
	r.mu.Unlock()
	close(thawed)
}

func (r *replica) stopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.thawed != nil
}

func (r *replica) whileStopped() {
	r.mu.Lock()
	thawed := r.thawed
	r.mu.Unlock()
	if thawed != nil {
		<-thawed
	}
}

// request decides what becomes of a request.
func (r *replica) request(ctx context.Context) (before, after time.Duration, refused error) {
	r.whileStopped()
	if refusal := r.refusal.Load(); refusal != nil {
		return 0, 0, *refusal
	}
	if r.dead.Load() {
		return 0, 0, errors.New("killed")
	}
	before, after = time.Duration(rand.Int64N(int64(20*time.Millisecond))), time.Duration(rand.Int64N(int64(20*time.Millisecond)))
	if rand.Int64N(100) >= r.failing.Load() {
		return before, after, nil
	}
	switch rand.IntN(4) {
	case 0:
		return 0, 0, errors.New("refused")
	case 1:
		return before, time.Hour, nil // happened, and the answer is lost
	case 2:
		return time.Duration(rand.Int64N(int64(8 * time.Second))), after, nil // may happen when no caller waits any more
	default:
		return time.Duration(rand.Int64N(int64(1900 * time.Millisecond))), after, nil
	}
}

// work does what a worker of the loop does, on keys at random, and reports it to the observer.
func (r *replica) work(ctx context.Context, w *observer) {
	for ctx.Err() == nil {
		time.Sleep(time.Duration(rand.Int64N(int64(300 * time.Millisecond))))
		r.whileStopped()
		namespace, key := fmt.Sprintf("ns-%d", rand.IntN(10)), fmt.Sprintf("key-%d", rand.IntN(4))
		working, done, ok := r.Begin(namespace, key)
		if ok && !r.dead.Load() {
			leave := w.enter(r, r.Of(namespace, key), working)
			r.reconcile(working)
			leave()
		}
		done()
	}
}

// reconcile takes a while, now and then a long one, and takes its time to notice that its context ended. What was stopped
// notices when it goes on.
func (r *replica) reconcile(ctx context.Context) {
	d := time.Duration(rand.Int64N(int64(400 * time.Millisecond)))
	if rand.IntN(50) == 0 {
		d = 20 * time.Second
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		r.whileStopped()
	case <-ctx.Done():
		time.Sleep(time.Duration(rand.Int64N(int64(r.stubborn))))
		r.whileStopped()
	}
}
