package stories

import (
	"path/filepath"
	"strings"
	"testing"
)

// The bench of the built-in loop is held to no time here: what counts is that each part comes to its end, that nothing is lost, and
// that no write is reconciled twice. Controller-runtime is left to "make bench".
func TestLoopBench(t *testing.T) {
	w := newWorld(t)
	bench := filepath.Join(w.dir, "loop")
	w.run("../..", "go", "build", "-o", bench, "./e2e/bench/loop")
	out := w.run("../..", bench, "-objects", "30", "-runs", "1", "-paced", "1s", "-burst", "100", "-judge=false",
		"-sides", "sample-controller,crdctl-whole,crdctl-until-reconciled,crdctl-metadata,crdctl-run", crdctl)
	for _, want := range []string{"30 objects of 1.5 KB", "\n| sample-controller | ", "\n| crdctl-run | ",
		"ok     crdctl-whole: 0 updates lost", "ok     crdctl-until-reconciled: 0 updates lost", "ok     crdctl-metadata: 0 updates lost",
		"ok     crdctl-whole: 1.00 reconciles per write"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	w.leavesNothing(w.dir)
}
