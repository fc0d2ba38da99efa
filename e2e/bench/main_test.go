// SPDX-License-Identifier: Apache-2.0

// Package bench measures crdctl compared with what its users have otherwise: "generate" with kube_codegen.sh, "run" with
// controller-runtime's envtest, the built-in loop with controller-runtime and sample-controller's pattern. It has benchmarks
// only, and the tests of what could silently give a wrong result. "make bench" runs it.
//
// All sides of a benchmark run in turns, another one first in each round, so that a machine that gets busy slows all of them
// down; -benchtime 5x asks for five rounds (default 3). Results are medians, in the format of benchstat. Only BenchmarkLoop holds
// crdctl to anything, and to ratios: a busy machine is not a mistake of the code. crdctl is measured as a program, bin/crdctl
// unless CRDCTL is the path of another one.
package bench

import (
	"cmp"
	"flag"
	"fmt"
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
)

func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if given["test.bench"] {
		load := measure.Load()
		fmt.Printf("go: %s\nload: %.1f\n", runtime.Version(), load)
		if load > float64(runtime.NumCPU())/2 {
			fmt.Fprintln(os.Stderr, "The machine is busy: do not trust the times and their ratios; look at those of CPU time, or measure again.")
		}
	}
	if !given["test.benchtime"] {
		_ = flag.Set("test.benchtime", "3x") // it exists
	}
	os.Exit(m.Run())
}

// crdctl is the path of the program to measure.
func crdctl(tb testing.TB) string {
	tb.Helper()
	path := must(filepath.Abs(cmp.Or(os.Getenv("CRDCTL"), filepath.Join(root, "bin", "crdctl"))))(tb)
	if _, err := os.Stat(path); err != nil {
		tb.Fatalf("%v; run \"make build\", or set CRDCTL", err)
	}
	return path
}

// root is this repository, seen from the directory of this package.
const root = "../.."

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func must[T any](value T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		check(tb, err)
		return value
	}
}

// run runs a side to its end.
func run(tb testing.TB, dir string, env []string, argv ...string) program.Taken {
	tb.Helper()
	return must(program.Run(tb.Context(), program.Side{Dir: dir, Env: env, Argv: argv}))(tb)
}

// goCommand returns what a go command prints.
func goCommand(tb testing.TB, dir string, args ...string) string {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), "go", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	return strings.TrimSpace(string(must(cmd.Output())(tb)))
}

// environ is the environment without variables that would change what a side is, and with more.
func environ(more ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return slices.ContainsFunc([]string{"KUBE", "TEST_ASSET_", "USE_EXISTING_CLUSTER", "BARE_", "GOBIN="}, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
	})
	return append(append(env, "GOWORK=off", "NO_COLOR=1"), more...)
}

// scratch is the environment of a side whose temporary files and crdctl's cache are in a directory that only the benchmark uses; Go's
// cache is the user's.
func scratch(tb testing.TB, dir string) []string {
	tb.Helper()
	return environ("TMPDIR="+dir, "GOCACHE="+goCommand(tb, ".", "env", "GOCACHE"), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
}

// number is how many of something a variable of the environment asks for.
func number(tb testing.TB, name string, otherwise int) int {
	tb.Helper()
	value := os.Getenv(name)
	if value == "" {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		tb.Fatalf("%s=%s is not a number above 0", name, value)
	}
	return n
}

// rounds yields the number of the round and each of n sides, in each iteration of a benchmark.
func rounds(b *testing.B, n int) iter.Seq2[int, int] {
	return func(yield func(round, side int) bool) {
		for round := 0; b.Loop(); round++ {
			for i := range n {
				if !yield(round, (round+i)%n) {
					return
				}
			}
		}
	}
}

// samples are measured values by their unit, as benchstat has them.
type samples map[string][]float64

func (s samples) add(value float64, unit string) { s[unit] = append(s[unit], value) }

func (s samples) median(unit string) float64 { return measure.Median(s[unit]) }

// took adds what a run of a side took.
func (s samples) took(side string, t program.Taken) {
	s.add(t.Wall.Seconds(), side+"-sec")
	s.add(t.CPU.Seconds(), side+"-cpu-sec")
	s.add(float64(t.Peak>>20), side+"-MB")
}

// ratio reports how many times the median of one unit is that of another.
func (s samples) ratio(b *testing.B, of, to, unit string) {
	if base := s.median(to); base > 0 && len(s[of]) > 0 {
		b.ReportMetric(s.median(of)/base, unit)
	}
}

// report reports the medians.
func (s samples) report(b *testing.B) {
	b.ReportMetric(0, "ns/op") // the time of an iteration is that of all sides
	for _, unit := range slices.Sorted(maps.Keys(s)) {
		b.ReportMetric(s.median(unit), unit)
	}
}

// progress writes what is going on: a benchmark takes minutes.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format(time.TimeOnly)+" "+format+"\n", args...)
}
