package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/e2e/internal/harness/faultproxy"
)

// The same seed has the same faults, and no replica is killed whose memory is watched.
func TestDeck(t *testing.T) {
	s := &soak{plane: &plane{}, replicas: []*replica{
		{process: &process{name: "a"}, spared: true, proxy: &faultproxy.Proxy{}}, {process: &process{name: "b"}},
	}}
	faults := func(seed uint64) (all []string) {
		for _, f := range s.deck(rand.New(rand.NewPCG(seed, 0))) {
			all = append(all, f.what)
		}
		return all
	}
	one := faults(1)
	if !slices.Equal(one, faults(1)) || slices.Equal(one, faults(2)) {
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
