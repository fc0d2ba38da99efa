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
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// soak is what all parts share.
type soak struct {
	settings
	plane    *plane
	replicas []*replica
	pen      *pen
	hook     string // the hook's program
	shared   string // the folder that the hooks read and write
	folder   string // of the logs
	began    time.Time

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
func (set settings) run(ctx context.Context, asked measure.Asked) (err error) {
	s := &soak{settings: set, out: asked.Out, folder: set.logs, began: time.Now()}
	if s.folder == "" {
		if s.folder, err = os.MkdirTemp("", "soak-logs-"); err != nil {
			return err
		}
	} else if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return err
	}
	s.shared = filepath.Join(s.folder, "hook")
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\nlogs and notes are in %s", err, s.folder)
		} else if set.logs == "" {
			err = os.RemoveAll(s.folder)
		}
	}()
	crdctl, err := filepath.Abs(asked.Crdctl)
	if err != nil {
		return err
	}
	s.say("seed %d; %s, load %.1f", s.seed, measure.Machine(), measure.Load())
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.begin(ctx, asked.Dir, crdctl); err != nil {
		return err
	}
	if err := s.rounds(ctx); err != nil {
		return err
	}
	return s.verdict()
}

// rounds alternates faults and calm.
func (s *soak) rounds(ctx context.Context) error {
	if err := s.calm(ctx, 0); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(s.seed, 0))
	for left, round := s.faulty, 1; left > 0; round++ {
		s.faults(ctx, min(left, s.round), random)
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

// say prints a line with the time, and how long it is since the beginning.
func (s *soak) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = fmt.Fprintf(s.out, "%s +%s "+format+"\n", append([]any{time.Now().Format(time.TimeOnly), time.Since(s.began).Round(time.Second)}, args...)...)
}

// wrong says and keeps what is wrong. It goes on: there may be more.
func (s *soak) wrong(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.say("WRONG: %s", text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, strings.TrimSpace(text))
}
