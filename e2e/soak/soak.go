package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// soak is what all parts share.
type soak struct {
	faulty, round time.Duration // of all rounds together, of one
	seed          uint64

	plane    *plane
	replicas []*replica
	pen      *pen
	hook     string     // the hook's program
	shared   string     // the directory that the hooks read and write
	folder   string     // the directory of the logs
	random   *rand.Rand // of the goroutine that draws faults

	planeLife   sync.Mutex // held while something happens to the control plane
	failingKeys sync.Mutex
	cards       []fault
	count       int // faults

	states      []holding
	converging  []time.Duration
	calls       int // of hooks
	overlapping int

	mu       sync.Mutex
	out      io.Writer
	problems []string
}

// run soaks, and returns an error if something was wrong.
func (s *soak) run(ctx context.Context, dir, crdctl string) (err error) {
	s.random = rand.New(rand.NewPCG(s.seed, 0))
	if s.folder, err = os.MkdirTemp("", "soak-logs-"); err != nil {
		return err
	}
	s.shared, s.hook = filepath.Join(s.folder, "hook"), filepath.Join(dir, "hook")
	if err := os.MkdirAll(s.shared, 0o755); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\nlogs and notes are in %s", err, s.folder)
		} else {
			err = os.RemoveAll(s.folder)
		}
	}()
	s.say("seed %d; %s, load %.1f", s.seed, measure.Machine(), measure.Load())
	defer func() { err = errors.Join(err, s.stop()) }()
	if crdctl, err = filepath.Abs(crdctl); err != nil {
		return err
	}
	if err := s.begin(ctx, dir, crdctl); err != nil {
		return err
	}
	if err := s.rounds(ctx); err != nil {
		return err
	}
	return s.verdict()
}

// begin starts all programs. The hook is a copy of this one, since its file is touched.
func (s *soak) begin(ctx context.Context, dir, crdctl string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(s.hook, data, 0o755)
	}
	if err == nil {
		s.plane, err = startPlane(ctx, dir, s.folder, crdctl)
	}
	if err != nil {
		return err
	}
	s.pen = &pen{api: s.plane.api, wrote: make([]atomic.Int64, len(acts))}
	if err := s.settled(ctx); err != nil {
		return err
	}
	for _, name := range []string{"a", "b", "c"} {
		r, err := s.newReplica(dir, crdctl, name)
		if err != nil {
			return err
		}
		s.replicas = append(s.replicas, r)
		if err := r.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stop ends all that is still running.
func (s *soak) stop() (err error) {
	for _, r := range s.replicas {
		err = errors.Join(err, r.end())
		if r.proxy != nil {
			err = errors.Join(err, r.proxy.Close())
		}
	}
	if s.plane != nil {
		err = errors.Join(err, s.plane.end())
	}
	return err
}

// rounds alternates faults and calm.
func (s *soak) rounds(ctx context.Context) error {
	if err := s.calm(ctx, 0); err != nil {
		return err
	}
	for left, round := s.faulty, 1; left > 0; round++ {
		s.faults(ctx, min(left, s.round))
		left -= s.round
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.say("round %d: %d faults so far, writers stopped, nothing goes wrong any more", round, s.count)
		if err := s.calm(ctx, round); err != nil {
			return err
		}
	}
	return nil
}

// say prints a line with the time.
func (s *soak) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = fmt.Fprintf(s.out, "%s "+format+"\n", append([]any{time.Now().Format(time.TimeOnly)}, args...)...)
}

// wrong says and keeps what is wrong. It goes on: there may be more.
func (s *soak) wrong(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.say("WRONG: %s", text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, strings.TrimSpace(text))
}
