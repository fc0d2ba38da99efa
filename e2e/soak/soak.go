// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// soak is what all parts share. It is a require.TestingT: what fails is noted, and ends the goroutine that noticed it.
type soak struct {
	faulty, round time.Duration // of all rounds together, of one
	seed          uint64
	dir           string     // of logs and data
	random        *rand.Rand // of the goroutine that draws faults
	out           io.Writer

	plane    *plane
	replicas []*replica
	hooks    *hooks
	failing  sync.Mutex // held while some keys' hooks always fail
	cards    []fault
	faults   int

	wrote, lost atomic.Int64 // writes; those that got no answer, or were refused
	states      []holding
	converging  []time.Duration

	mu       sync.Mutex
	problems []string
}

// Main soaks, in a goroutine that may end early.
func (s *soak) Main(ctx context.Context, crdctl string) {
	var group sync.WaitGroup
	group.Go(func() {
		s.say("seed %d; %s, %d processors, load %.1f", s.seed, runtime.Version(), runtime.NumCPU(), measure.Load())
		defer s.stop()
		s.start(ctx, crdctl)
		s.calm(ctx, 0)
		for left, round := s.faulty, 1; left > 0; round++ {
			s.storm(ctx, min(left, s.round))
			left -= s.round
			s.say("round %d: %d faults so far, writers stopped, nothing goes wrong any more", round, s.faults)
			s.calm(ctx, round)
		}
		for _, text := range judge(s.states) {
			s.Errorf("%s", text)
		}
	})
	group.Wait()
}

// start starts all programs.
func (s *soak) start(ctx context.Context, crdctl string) {
	s.hooks = newHooks(s)
	s.plane = newPlane(s, crdctl)
	s.plane.connect(ctx)
	for _, name := range []string{"a", "b", "c"} {
		r := s.newReplica(crdctl, name)
		s.replicas = append(s.replicas, r)
		r.start()
	}
}

// stop ends all programs.
func (s *soak) stop() {
	for _, r := range s.replicas {
		r.end()
		if r.proxy != nil {
			assert.NoError(s, r.proxy.Close())
		}
	}
	if s.plane != nil {
		s.plane.end()
	}
	if s.hooks != nil {
		assert.Zero(s, s.hooks.processes(), "hook processes are left after all replicas have ended")
		s.hooks.server.Close()
	}
}

// verdict prints the summary, and returns what was wrong.
func (s *soak) verdict() error {
	s.say("%d faults in %s; %d writes, %d more got no answer or were refused", s.faults, s.faulty, s.wrote.Load(), s.lost.Load())
	if len(s.converging) > 0 {
		s.say("until everything was as it should be: median %s, longest %s", tenth(measure.Median(s.converging)), tenth(slices.Max(s.converging)))
	}
	if s.hooks != nil {
		s.say("%d calls of hooks, %d of them for a key that another replica's call was at", s.hooks.calls, s.hooks.overlapping)
	}
	for _, r := range s.replicas {
		s.say("replica %s was started %d times, the control plane %d times", r.name, r.starts, s.plane.starts)
	}
	for _, now := range s.states {
		if now.spared {
			s.say("replica %s, which was never killed, after round %d: %s", now.replica, now.round, now)
		}
	}
	if len(s.problems) > 0 {
		return errors.New(strings.Join(s.problems, "\n"))
	}
	return nil
}

// say prints a line with the time.
func (s *soak) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = fmt.Fprintf(s.out, "%s "+format+"\n", append([]any{time.Now().Format(time.TimeOnly)}, args...)...)
}

// Errorf says and keeps what is wrong. The soak goes on: there may be more.
func (s *soak) Errorf(format string, args ...any) {
	text := strings.TrimSpace(fmt.Sprintf(format, args...))
	s.say("WRONG: %s", text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, text)
}

// FailNow ends the goroutine.
func (s *soak) FailNow() { runtime.Goexit() }

// must returns a value where there is no error.
func must[T any](value T, err error) func(*soak) T {
	return func(s *soak) T {
		require.NoError(s, err)
		return value
	}
}

func tenth(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// idle waits, and less if the context ends.
func idle(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
