package stories

import (
	"path/filepath"
	"strings"
	"testing"
)

// The bench of "crdctl run" knows crdctl by what it says and does. It holds nothing to a time, and neither does this: what
// counts is that each part comes to its end and has something in its table. Its part "start" is left to "make bench",
// because it builds a second API server.
func TestClusterBench(t *testing.T) {
	w := newWorld(t)
	bench := filepath.Join(w.dir, "cluster")
	w.run("../..", "go", "build", "-o", bench, "./e2e/bench/cluster")
	w.setenv("BENCH_CLUSTER", "idle,save")
	w.setenv("BENCH_RUNS", "1")
	w.setenv("BENCH_IDLE", "1")
	w.setenv("BENCH_OBJECTS", "50")
	out := w.run("../..", bench, crdctl)
	for _, want := range []string{"50 objects of 1500 bytes were created by 16 writers", "\n| 50 | ", "| one line in crontab.go | ", "| a new field in types.go | "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "not measured") {
		t.Errorf("something was not measured:\n%s", out)
	}
	w.leavesNothing(w.dir)
}
