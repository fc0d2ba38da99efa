package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// calmPatience is how long it may take until everything is as it should be, when nothing goes wrong any more: the longest
	// back-off is 30 s, a lost lease is taken after 15 s, and the garbage collector has its own ideas.
	calmPatience = 3 * time.Minute
	shown        = 20 // differences that are printed
)

// calm waits until everything is as it should be, and then looks at the processes.
func (s *soak) calm(ctx context.Context, round int) error {
	began := time.Now()
	late, cancel := context.WithTimeout(ctx, calmPatience)
	defer cancel()
	if err := s.settled(late); err != nil {
		return err
	}
	found, err := s.converged(late)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	took := time.Since(began)
	switch {
	case err != nil:
		s.wrong("round %d: what there is could not be compared: %v", round, err)
	case len(found) > 0:
		s.wrong("round %d: %d differences after %s:\n  %s", round, len(found), hundredth(took), strings.Join(found[:min(shown, len(found))], "\n  "))
	default:
		s.say("round %d: everything is as it should be, after %s", round, hundredth(took))
	}
	s.converging = append(s.converging, took)
	s.overlaps()
	return s.look(ctx, round)
}

func hundredth(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }

// settled has the number of objects be what it should.
func (s *soak) settled(ctx context.Context) (err error) {
	late := wait.PollUntilContextTimeout(ctx, time.Second, calmPatience, true, func(ctx context.Context) (bool, error) {
		err = s.settle(ctx)
		return err == nil, nil
	})
	if late != nil {
		return fmt.Errorf("make it %d objects: %w: %w", objects, late, err)
	}
	return nil
}

// converged compares until there is no difference, or for as long as the context lasts; then it returns those of the last time.
func (s *soak) converged(ctx context.Context) (found []string, err error) {
	for ; ctx.Err() == nil; idle(ctx, time.Second) {
		var baskets []basket
		var configMaps []configMap
		if baskets, err = get[basket](ctx, s.plane, basketsPath, ""); err == nil {
			configMaps, err = get[configMap](ctx, s.plane, configMapsPath, childLabel)
		}
		if ctx.Err() != nil { // what it broke off says nothing
			return found, nil
		}
		if err != nil {
			continue
		}
		found = differences(baskets, configMaps)
		if len(baskets) != objects {
			found = append(found, fmt.Sprintf("there are %d objects, want %d", len(baskets), objects))
		}
		if len(found) == 0 {
			return nil, nil
		}
	}
	return found, err
}

// overlaps tells of keys that two replicas worked on at once; those of earlier rounds have been told.
func (s *soak) overlaps() {
	var spans []span
	pauses := map[string][]time.Time{}
	for _, r := range s.replicas {
		noted, err := readNotes(s.shared, r.name, hookPatience)
		if err != nil {
			s.wrong("read the hook's notes: %v", err)
			return
		}
		spans = append(spans, noted...)
		pauses[r.name] = r.pauses
	}
	s.calls = len(spans)
	found := overlaps(spans, pauses, hookPatience)
	for _, f := range found[min(s.overlapping, len(found)):] {
		s.wrong("one key in two calls at once: %s", f)
	}
	s.overlapping = len(found)
}
