package main

import (
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func newTestSoak() *soak {
	s := &soak{plane: &plane{}, pen: &pen{names: 10}}
	for i, name := range []string{"a", "b"} {
		r := &replica{process: &process{name: name}, spared: i == 0}
		if i == 0 {
			r.proxy = &proxy{}
		}
		s.replicas = append(s.replicas, r)
	}
	return s
}

// The same seed has the same faults, and no replica is killed whose memory is watched.
func TestDeck(t *testing.T) {
	whats := func(seed uint64) (all []string) {
		for _, f := range newTestSoak().deck(rand.New(rand.NewPCG(seed, 0))) {
			all = append(all, f.what)
		}
		return all
	}
	one := whats(1)
	if !slices.Equal(one, whats(1)) || slices.Equal(one, whats(2)) {
		t.Error("the choice does not depend on the seed, or not on it alone")
	}
	text := strings.Join(one, "\n")
	for _, want := range []string{"replica b: kill -9", "replica b: SIGTERM", "replica a: SIGSTOP", "replica a: watches cut", "control plane: kill -9", "always fails", "touched"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q among\n%s", want, text)
		}
	}
	for _, bad := range []string{"replica a: kill", "replica a: SIGTERM", "replica b: watches"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q among\n%s", bad, text)
		}
	}
}

// Two faults never meet in one place: the second one waits for its turn.
func TestDraw(t *testing.T) {
	s := newTestSoak()
	random := rand.New(rand.NewPCG(1, 0))
	s.planeLife.Lock()
	defer s.planeLife.Unlock()
	for range 100 {
		f := s.draw(random)
		if strings.Contains(f.what, "control plane") || strings.Contains(f.what, "CRD") {
			t.Fatalf("drew %q of a control plane to which something happens", f.what)
		}
		f.give()
	}
	if !slices.ContainsFunc(s.cards, func(f fault) bool { return strings.Contains(f.what, "control plane") }) {
		t.Error("what could not be drawn is lost")
	}
}

func TestSettings(t *testing.T) {
	s, rest, err := readSettings([]string{"-for", "3m", "-seed", "7", "bin/crdctl"}, io.Discard)
	if err != nil || s.faulty.Minutes() != 3 || s.seed != 7 || s.objects != 500 || len(rest) != 1 {
		t.Errorf("%+v, %v, %v", s, rest, err)
	}
	for _, args := range []string{"-for 0s", "-round 1ms", "-objects 1", "-rate 0"} {
		if _, _, err := readSettings(strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), "; give") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// The acts of a writer share a hundred: none is never done.
func TestActs(t *testing.T) {
	sum := 0
	for _, a := range acts {
		sum += a.share
	}
	if sum != 100 {
		t.Errorf("%d", sum)
	}
}
