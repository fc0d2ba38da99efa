package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/crdctl/crdctl/e2e/bench/loop/harness"
)

// The test binary is its own side: BENCH_TEST_SIDE says how it behaves.
func TestMain(m *testing.M) {
	switch os.Getenv("BENCH_TEST_SIDE") {
	case "":
		os.Exit(m.Run())
	case "good":
		harness.Main(func(ctx context.Context, h *harness.Harness) error {
			h.Again(func(names []string) {
				for _, name := range names {
					h.Saw(time.Now(), name, "1")
				}
			})
			_, _ = os.Stderr.WriteString("a log with {\"json\": 1} in it\n")
			h.Saw(time.Now(), harness.Name(0), "3")
			h.Saw(time.Now(), harness.Name(1), "4")
			<-ctx.Done()
			return nil
		})
	case "bad":
		harness.Main(func(context.Context, *harness.Harness) error { return errors.New("no API server") })
	}
}

func testBench(t *testing.T, behaviour string) (*bench, side) {
	t.Setenv("BENCH_TEST_SIDE", behaviour)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, name := self[:strings.LastIndexByte(self, '/')], self[strings.LastIndexByte(self, '/')+1:]
	return &bench{settings: settings{objects: []int{2}}, dir: t.TempDir(), programs: programs{dir: dir}, plane: &plane{filled: 2}}, side{name: "test", program: name, variant: "-"}
}

func TestFollow(t *testing.T) {
	b, s := testBench(t, "good")
	f, err := b.follow(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if f.took() <= 0 || f.took() > time.Minute {
		t.Errorf("took %s", f.took())
	}
	if seen, err := ask[harness.Seen](t.Context(), f, "last", "last %d", 2); err != nil || len(seen.Last) != 2 || seen.Last[1] != 4 {
		t.Errorf("%+v, %v", seen, err)
	}
	if r, err := ask[harness.Rate](t.Context(), f, "again", "again %d", 3); err != nil || r.Count != 6 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := ask[harness.Seen](t.Context(), f, "last", "nonsense"); err == nil || !strings.HasPrefix(err.Error(), `"nonsense" is no question`) {
		t.Errorf("an answer that says no: %v", err)
	}
	if err := f.End(); err != nil {
		t.Error(err)
	}
	if err := f.Say("gc"); err == nil {
		t.Error("said something to a side that has ended")
	}
}

func TestFollowOfOneThatFails(t *testing.T) {
	b, s := testBench(t, "bad")
	if _, err := b.follow(t.Context(), s); err == nil || !strings.Contains(err.Error(), "no API server") {
		t.Errorf("its last words are not told: %v", err)
	}
}
