// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crdctl/crdctl/e2e/bench/harness"
	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/proc"
)

// workers is how many workers all sides have.
const workers = 2

// side is one of the controllers to compare.
type side struct {
	name    string
	program string
	variant string // of a program that has the harness, or more flags of crdctl
	held    limits // nil for what crdctl is compared with
}

const reference = "controller-runtime"

var sides = []side{
	{reference, "controllerruntime", "-", nil},
	{"sample-controller", "samplecontroller", "-", nil},
	{"crdctl-whole", "ours", "whole", wholeLimits},
	{"crdctl-until-reconciled", "ours", "until-reconciled", settlingLimits}, // whole objects that are dropped once they were reconciled
	{"crdctl-metadata", "ours", "metadata", metadataLimits},
}

// loopBench is what BenchmarkLoop was asked for, and what all its parts share.
type loopBench struct {
	bin     string
	cluster *cluster
	sides   []side
	objects []int // in rising order: objects are added, and never removed
	paced   int   // updates
	burst   int
}

// BenchmarkLoop compares crdctl's control loop with controller-runtime and with the pattern of Kubernetes' sample-controller: how soon
// and at what price every object was reconciled once, what an object costs in memory, and how updates are followed. It fails when
// crdctl misses one of the ratios of requirements_test.go, except with fewer than 1,000 objects; what is lost, or reconciled twice, is
// a failure with any number.
//
// BENCH_OBJECTS (10000,50000) says how many objects there are, BENCH_PACED (20) for how many seconds 100 objects are updated each
// second, BENCH_BURST (5000) how many updates come at full speed, and BENCH_SIDES names the sides to run, with commas.
func BenchmarkLoop(b *testing.B) {
	l := newLoopBench(b, sides)
	if l == nil {
		return
	}
	base := map[string]samples{} // with one object, for the memory that the sides have without objects
	l.cluster.grow(b, 1)         // an informer of no objects at all would never be seen to be ready
	for _, i := range rounds(b, len(l.sides)) {
		s := l.sides[i]
		f := l.follow(b, s)
		record(base, s.name).add(float64(ask[uint64](b, f, "Collect", 0)), "heap-B")
		f.end(b)
	}
	for _, objects := range l.objects {
		b.Run(fmt.Sprintf("objects=%d", objects), func(b *testing.B) {
			l.cluster.grow(b, objects)
			all := map[string]samples{}
			for _, i := range rounds(b, len(l.sides)) {
				s := l.sides[i]
				began := time.Now()
				l.one(b, s, record(all, s.name), base[s.name].median("heap-B"))
				progress("%d objects: %s: measured in %s", objects, s.name, time.Since(began).Round(time.Second))
			}
			for _, s := range l.sides {
				b.Run("side="+s.name, all[s.name].report)
			}
			for _, missed := range missed(objects, l.sides, all) {
				b.Error("missed: " + missed + "; on a busy machine, measure again")
			}
		})
	}
}

func record(all map[string]samples, name string) samples {
	if all[name] == nil {
		all[name] = samples{}
	}
	return all[name]
}

// newLoopBench has crdctl itself make a project, as its users do, for the types and the generated clients that the others need, builds
// the programs of the sides, and starts the control plane. It returns nil if it was asked for none of the sides.
func newLoopBench(b *testing.B, sides []side) *loopBench {
	b.Helper()
	dir := b.TempDir()
	l := &loopBench{bin: filepath.Join(dir, "bin"), paced: number(b, "BENCH_PACED", 20) * int(time.Second/pace), burst: number(b, "BENCH_BURST", 5000)}
	for _, text := range words("BENCH_OBJECTS", "10000,50000") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 2 {
			b.Fatalf("BENCH_OBJECTS: %q is not a number above 1", text)
		}
		l.objects = append(l.objects, n)
	}
	slices.Sort(l.objects)
	for _, s := range sides {
		if asked := words("BENCH_SIDES", s.name); slices.Contains(asked, s.name) {
			l.sides = append(l.sides, s)
		}
	}
	if len(l.sides) == 0 {
		progress("%s has none of the sides that BENCH_SIDES names", b.Name())
		return nil
	}
	module := filepath.Join(dir, "module")
	progress("building the programs to compare; with an empty build cache that takes minutes")
	run(b, dir, environ(), crdctl(b), "init", "-C", module, "--module", "example.com/bench", "--group", "bench.example.com", "--version", "v1", "--kind", "Widget",
		"--field", "size:int32", "--field", "text:string", "--field", "image:string", "--field", "schedule:string", "--field", "mode:string")
	goCommand(b, module, "mod", "edit", "-require="+controllerRuntime)
	unpack(b, module, "programs/controllerruntime", "programs/samplecontroller", "harness")
	built := map[string]bool{}
	for _, s := range l.sides {
		switch binary := filepath.Join(l.bin, s.program); {
		case built[s.program]:
		case s.program == "crdctl":
			l.link(b, binary, crdctl(b))
		case s.program == "crdctl-loop" && os.Getenv("CRDCTL_LOOP") != "":
			l.link(b, binary, os.Getenv("CRDCTL_LOOP"))
		case s.program == "crdctl-loop":
			run(b, root, environ(), "go", "build", "-ldflags=-s -w", "-tags=crdctl_loop", "-o", binary, ".")
		case s.program == "ours":
			run(b, root, environ(), "go", "build", "-o", binary, "./e2e/bench/ours")
		default:
			buildProgram(b, module, binary, "./"+s.program)
		}
		built[s.program] = true
	}
	l.cluster = startCluster(b)
	return l
}

// link has a program of a side be one that is built already.
func (l *loopBench) link(b *testing.B, binary, built string) {
	b.Helper()
	check(b, os.MkdirAll(l.bin, 0o755))
	check(b, os.Symlink(must(filepath.Abs(built))(b), binary))
}

func words(name, otherwise string) []string {
	return strings.Split(cmp.Or(os.Getenv(name), otherwise), ",")
}

// follower is a side that runs.
type follower struct {
	*program.Process
	calls  *rpc.Client
	synced time.Time
}

// follow starts a side and returns when it has reconciled every object once.
func (l *loopBench) follow(b *testing.B, s side) *follower {
	b.Helper()
	f := l.launch(b, s)
	f.synced = ask[time.Time](b, f, "Synced", 0)
	return f
}

// launch starts a side that has the harness.
func (l *loopBench) launch(b *testing.B, s side) *follower {
	b.Helper()
	input, questions, err := os.Pipe()
	check(b, err)
	answers, output, err := os.Pipe()
	check(b, err)
	argv := []string{filepath.Join(l.bin, s.program), l.cluster.kubeconfig, strconv.Itoa(workers), strconv.Itoa(l.cluster.filled), strconv.Itoa(slices.Max(l.objects)), s.variant}
	f := &follower{}
	f.Process, err = program.Start(program.Side{Dir: l.bin, Env: environ(), Argv: argv}, func(o *proc.Options) { o.Stdin, o.Stdout = input, output })
	check(b, err)
	check(b, input.Close()) // the program has its own
	check(b, output.Close())
	f.calls = rpc.NewClient(struct {
		io.Reader
		io.WriteCloser
	}{answers, questions})
	return f
}

func (f *follower) end(b *testing.B) {
	b.Helper()
	check(b, f.End())
	if f.calls != nil {
		_ = f.calls.Close() // the program has ended already
	}
}

// ask calls a method of the harness in the program.
func ask[T any](b *testing.B, f *follower, method string, argument int) (reply T) {
	b.Helper()
	call := f.calls.Go("Calls."+method, argument, &reply, nil)
	select {
	case <-call.Done:
	case <-time.After(program.Patience):
		b.Fatalf("%s took too long; see what keeps the machine busy", method)
	}
	if call.Error != nil {
		b.Fatalf("%s: %v; the end of its output:\n%s", method, call.Error, f.Tail(20))
	}
	return reply
}

// one measures one run of one side, from its start to its end.
func (l *loopBench) one(b *testing.B, s side, into samples, base float64) {
	b.Helper()
	f := l.follow(b, s)
	defer f.end(b)
	into.started(b, f.Process, f.synced)
	heap := ask[uint64](b, f, "Collect", 0)
	into.add(float64(must(measure.UsageOf(f.PID()))(b).Resident)/(1<<20), resident)
	into.add((float64(heap)-base)/float64(l.cluster.filled-1), perObject)
	paced := l.phase(b, f, l.paced, 1, pace)
	into.add(float64(percentile(paced.latencies, 0.5))/1e6, p50)
	into.add(float64(percentile(paced.latencies, 0.99))/1e6, p99)
	into.add(paced.cpuPerWrite, perUpdate)
	burst := l.phase(b, f, l.burst, 8, 0)
	into.add(burst.cpuPerWrite, "burst-cpu-ms/update")
	into.add(float64(paced.lost+burst.lost), lost)
	into.add(max(paced.reconcilesPerWrite, burst.reconcilesPerWrite), perWrite)
}

// started adds what a program took and used until every object was reconciled, which was at a time. It has little to do since.
func (s samples) started(b *testing.B, p *program.Process, at time.Time) {
	b.Helper()
	used := must(measure.UsageOf(p.PID()))(b)
	s.add(at.Sub(p.Began).Seconds(), start)
	s.add(used.CPU.Seconds(), startCPU)
	s.add(float64(used.Peak>>20), "peak-MB")
}

// phase is what a side did while objects were updated.
type phase struct {
	lost                            int
	reconcilesPerWrite, cpuPerWrite float64 // in milliseconds
	latencies                       []time.Duration
}

// phase has objects updated, and looks at what a side does until it has seen all updates.
func (l *loopBench) phase(b *testing.B, f *follower, writes, writers int, pace time.Duration) (p phase) {
	b.Helper()
	u := newUpdates(l.cluster)
	// Twice as many as are written: more than one reconcile for a write is to be seen, too.
	ask[int](b, f, "Begin", 2*writes+1000)
	before := must(measure.UsageOf(f.PID()))(b)
	check(b, u.write(b.Context(), writes, writers, pace))
	var noted harness.Noted
	for end := time.Now().Add(lostAfter); ; time.Sleep(100 * time.Millisecond) {
		noted = ask[harness.Noted](b, f, "Noted", 0)
		if p.lost = u.lost(noted); p.lost == 0 || time.Now().After(end) {
			break
		}
	}
	cpu := must(measure.UsageOf(f.PID()))(b).CPU - before.CPU
	if p.latencies = u.latencies(noted); len(p.latencies) == 0 {
		b.Fatalf("none of %d updates was seen", writes)
	}
	p.reconcilesPerWrite, p.cpuPerWrite = float64(noted.Count)/float64(writes), cpu.Seconds()*1e3/float64(writes)
	return p
}
