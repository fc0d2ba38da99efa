// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The benchmarks are not held to a time here: what counts is that each comes to its end with a result, and that the built-in loop
// loses no update and reconciles no write twice, which they fail for with any number of objects. Those that build other
// programs, controller-runtime, upstream's generators and scaffolds, are left to "make bench".
func TestBenchmarks(t *testing.T) {
	w := newWorld(t)
	for _, variable := range []string{"CRDCTL=" + crdctl, "BENCH_OBJECTS=50", "BENCH_IDLE=1", "BENCH_PACED=1", "BENCH_BURST=100",
		"BENCH_SIDES=crdctl-whole,crdctl"} {
		name, value, _ := strings.Cut(variable, "=")
		w.setenv(name, value)
	}
	out := w.run("../..", "go", "test", "-vet=off", "-run=^$", "-bench=Idle|Loop", "-benchtime=1x", "-timeout=40m", "./e2e/bench")
	for _, want := range []string{"BenchmarkIdle/objects=50", "BenchmarkLoop/objects=50/side=crdctl-whole", "BenchmarkLoopOutside/objects=50/side=crdctl"} {
		assert.Contains(t, out, want)
	}
	w.leavesNothing(w.dir)
}
