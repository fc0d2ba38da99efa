// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/e2e/bench/harness"
	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
)

// sample is the pattern of Kubernetes' sample-controller.
const sample = "sample-controller"

// sidesOutside are programs as users run them. Each writes a line for each reconcile: crdctl its log, the others the shortest that there
// can be. Only crdctl records events, unless it is told not to, so it is told for the comparison; the last side shows what they cost.
var sidesOutside = []side{
	{reference, "controllerruntime", harness.Logs, nil},
	{sample, "samplecontroller", harness.Logs, nil},
	{"crdctl", "crdctl", "--no-events", nil},
	{"crdctl-loop", "crdctl-loop", "--no-events", nil},
	{"crdctl-loop-events", "crdctl-loop", "", nil},
}

// The units that only BenchmarkLoopOutside has.
const (
	empty = "empty-MB"
	busy  = "busy-MB"
)

// rested is how long after its start a side is left alone before its memory is read.
const rested = 4 * time.Second

// goal is a ratio to hold in BenchmarkLoopOutside.
type goal struct {
	side, unit, to string
	most           float64
}

var goals = []goal{
	{"crdctl-loop", empty, reference, 1},
	{"crdctl-loop", resident, reference, 1},
	{"crdctl-loop", p99, sample, 1},
}

// BenchmarkLoopOutside compares controllers through the lines that they log, and what Linux knows of their processes. Nothing of it
// is measured inside a program, so that it also shows what a program is apart from its loop: its size, its log, its collector. For
// each number of objects it is reported how long the start takes, the resident memory of the whole process tree with one object
// (empty) and with all after a collection, and without one after updates (busy), the latency of updates, and the ratios to the other
// two. It fails where crdctl's smallest build misses one of the goals, or where a side misses an update.
//
// The variables of BenchmarkLoop apply, except BENCH_BURST. CRDCTL_LOOP is the path of crdctl's smallest build, which is built otherwise.
func BenchmarkLoopOutside(b *testing.B) {
	l := newLoopBench(b, sidesOutside)
	if l == nil {
		return
	}
	base := map[string]samples{}
	l.cluster.grow(b, 1)
	for _, i := range rounds(b, len(l.sides)) {
		s := l.sides[i]
		w := l.watch(b, s)
		w.rest(b, record(base, s.name), empty)
		w.end(b)
	}
	for _, objects := range l.objects {
		b.Run(fmt.Sprintf("objects=%d", objects), func(b *testing.B) {
			l.cluster.grow(b, objects)
			all := map[string]samples{}
			for name := range base {
				record(all, name)[empty] = base[name][empty]
			}
			for _, i := range rounds(b, len(l.sides)) {
				began := time.Now()
				l.outside(b, l.sides[i], record(all, l.sides[i].name))
				progress("%d objects: %s: measured in %s", objects, l.sides[i].name, time.Since(began).Round(time.Second))
			}
			for _, s := range l.sides {
				b.Run("side="+s.name, func(b *testing.B) {
					all[s.name].report(b)
					for unit, value := range ratios(all, s.name) {
						b.ReportMetric(value, unit)
					}
				})
			}
			for _, m := range missedGoals(objects, all) {
				b.Error("missed: " + m + "; on a busy machine, measure again")
			}
		})
	}
}

// watched is a side that runs, of which only the log is read.
type watched struct {
	*follower
	next int      // position in the log
	seen []logged // reconciles
}

// logged is a line about a reconcile of an object.
type logged struct {
	object uint64
	at     time.Time
}

// watch starts a side and returns when it has written that it reconciled every object.
func (l *loopBench) watch(b *testing.B, s side) *watched {
	b.Helper()
	w := &watched{}
	if s.variant == harness.Logs {
		w.follower = l.launch(b, s)
	} else {
		argv := []string{filepath.Join(l.bin, s.program), "run", "--builtin", "--kubeconfig", l.cluster.kubeconfig, "--crd", "widgets.bench.example.com", "--workers", strconv.Itoa(workers)}
		if s.variant != "" {
			argv = append(argv, s.variant)
		}
		w.follower = &follower{Process: must(program.Start(program.Side{Dir: b.TempDir(), Env: environ(), Argv: argv}))(b)}
	}
	missing := map[uint64]bool{}
	for n := range l.cluster.filled {
		missing[uint64(n)] = true
	}
	check(b, program.Poll(b.Context(), w.Done(), func(context.Context) bool {
		for _, line := range w.read() {
			if delete(missing, line.object); len(missing) == 0 && w.synced.IsZero() {
				w.synced = line.at
			}
		}
		return len(missing) == 0
	}))
	return w
}

// reconciled is a line about a reconcile, of any side.
var reconciled = regexp.MustCompile(`synced .*?widget-([0-9]+)`)

// read returns what was logged since the last time.
func (w *watched) read() (more []logged) {
	var lines []program.Line
	lines, w.next = w.Lines(w.next)
	for _, line := range lines {
		if found := reconciled.FindStringSubmatch(line.Text); found != nil {
			n, _ := strconv.ParseUint(found[1], 10, 64) // digits
			more = append(more, logged{n, line.At})
		}
	}
	w.seen = append(w.seen, more...)
	return more
}

// rest waits, has a side with the harness collect, which crdctl has done by itself then, and adds the resident memory of its processes.
func (w *watched) rest(b *testing.B, into samples, unit string) {
	b.Helper()
	time.Sleep(rested)
	if w.calls != nil {
		ask[uint64](b, w.follower, "Collect", 0)
	}
	into.add(w.resident(b), unit)
}

func (w *watched) resident(b *testing.B) float64 {
	b.Helper()
	return float64(must(measure.ResidentOfTree(w.PID()))(b)) / (1 << 20)
}

// outside measures one run of one side.
func (l *loopBench) outside(b *testing.B, s side, into samples) {
	b.Helper()
	w := l.watch(b, s)
	defer w.end(b)
	into.started(b, w.Process, w.synced)
	w.rest(b, into, resident)
	w.read()
	before := must(measure.UsageOf(w.PID()))(b)
	u, from := newUpdates(l.cluster), len(w.seen)
	check(b, u.write(b.Context(), l.paced, 1, pace))
	var latencies []time.Duration
	for end := time.Now().Add(lostAfter); len(latencies) < l.paced && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		w.read()
		latencies = u.fromLog(w.seen[from:])
	}
	if len(latencies) < l.paced {
		b.Errorf("%s: the log has %d of %d updates", s.name, len(latencies), l.paced)
	}
	cpu := must(measure.UsageOf(w.PID()))(b).CPU - before.CPU
	into.add(float64(percentile(latencies, 0.5))/1e6, p50)
	into.add(float64(percentile(latencies, 0.99))/1e6, p99)
	into.add(cpu.Seconds()*1e3/float64(l.paced), perUpdate)
	into.add(w.resident(b), busy)
}

// fromLog are the times from an update's acknowledgment to the first line about its object since it was sent, the shortest first. Where
// the line was faster than the answer, it is 0.
func (u *updates) fromLog(lines []logged) []time.Duration {
	byObject := map[uint64][]time.Time{}
	for _, line := range lines {
		byObject[line.object] = append(byObject[line.object], line.at)
	}
	var all []time.Duration
	for _, w := range u.written {
		for _, at := range byObject[w.object] {
			if !at.Before(w.sent) {
				all = append(all, max(0, at.Sub(w.acknowledged)))
				break
			}
		}
	}
	slices.Sort(all)
	return all
}

// ratios are those of a side to the two that crdctl is compared with, by unit.
func ratios(all map[string]samples, name string) map[string]float64 {
	found := map[string]float64{}
	for to, short := range map[string]string{reference: "controller-runtime", sample: "sample"} {
		for _, unit := range []string{start, startCPU, empty, resident, p99} {
			if base := all[to].median(unit); base > 0 && name != to {
				found[unit+"/"+short] = all[name].median(unit) / base
			}
		}
	}
	return found
}

// missedGoals are the goals that crdctl's smallest build does not reach. Sides that were not asked for are not judged.
func missedGoals(objects int, all map[string]samples) (found []string) {
	for _, g := range goals {
		ours, theirs := all[g.side], all[g.to]
		if objects < judged || len(ours[g.unit]) == 0 || len(theirs[g.unit]) == 0 || ours.median(g.unit) <= g.most*theirs.median(g.unit) {
			continue
		}
		found = append(found, fmt.Sprintf("%s: %s: %.2f, at most %.2f of %.2f of %s", g.side, g.unit, ours.median(g.unit), g.most, theirs.median(g.unit), g.to))
	}
	return found
}

// The lines of all sides are found, and nothing else of their logs.
func TestReconciledLines(t *testing.T) {
	for line, want := range map[string]string{
		"synced widget-00012": "00012",
		`10:00:00.000 INF Successfully synced kind=Widget key=default/widget-00012`:              "00012",
		`10:00:00.000 INF Object changed kind=Widget key=default/widget-00012 resourceVersion=7`: "",
		`10:00:00.000 INF Caches synced kind=Widget objects=3`:                                   "",
	} {
		found := reconciled.FindStringSubmatch(line)
		assert.Equal(t, want != "", found != nil, line)
		if found != nil {
			assert.Equal(t, want, found[1])
		}
	}
}

// A line counts for the last update before it, also where it came before the answer; one of an earlier update does not.
func TestLatenciesFromLog(t *testing.T) {
	at := time.Unix(100, 0)
	ms := func(n int) time.Time { return at.Add(time.Duration(n) * time.Millisecond) }
	u := newUpdates(nil)
	u.written = []written{{1, ms(0), ms(2)}, {2, ms(10), ms(12)}, {1, ms(20), ms(22)}, {3, ms(30), ms(31)}}
	lines := []logged{{1, ms(5)}, {2, ms(9)}, {2, ms(11)}, {1, ms(29)}}
	assert.Equal(t, []time.Duration{0, 3 * time.Millisecond, 7 * time.Millisecond}, u.fromLog(lines), "the update of object 3 is missing")
}

func TestMissedGoals(t *testing.T) {
	all := map[string]samples{
		reference:     {empty: {30}, resident: {60, 62, 64}, p99: {1.2}},
		sample:        {empty: {23}, resident: {56}, p99: {1}},
		"crdctl-loop": {empty: {30}, resident: {10, 60, 90}, p99: {1}},
	}
	assert.Empty(t, missedGoals(10000, all))
	all["crdctl-loop"] = samples{empty: {31}, resident: {63}, p99: {1.1}}
	assert.Equal(t, []string{
		"crdctl-loop: empty-MB: 31.00, at most 1.00 of 30.00 of controller-runtime", "crdctl-loop: resident-MB: 63.00, at most 1.00 of 62.00 of controller-runtime",
		"crdctl-loop: latency-p99-ms: 1.10, at most 1.00 of 1.00 of sample-controller",
	}, missedGoals(10000, all))
	assert.Empty(t, missedGoals(100, all))
	delete(all, sample)
	assert.Len(t, missedGoals(10000, all), 2)
	assert.InDelta(t, 63.0/62, ratios(all, "crdctl-loop")["resident-MB/controller-runtime"], 1e-9)
}
