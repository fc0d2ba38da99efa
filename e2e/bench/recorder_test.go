// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
)

const recorderWriters = 8

// recorderBudget is what recording may cost at most: by how much the median of the ratios of pairs may differ from 1.
var recorderBudget = map[string]struct{ least, most float64 }{
	"cpu-µs/write": {0, 1.05},
	"writes/sec":   {0.95, math.Inf(1)},
	"p99-ms":       {0, 1.20},
}

// BenchmarkRecorder measures what the recording of requests, versions and deliveries costs the API server of "crdctl run": two runs of the
// built-in controller, of which one has --findings=false, have BENCH_OBJECTS objects (10,000) and get BENCH_WRITES updates (2000) in turns, as fast
// as they are answered, or BENCH_RATE a second; an update is eleven records. Each side's medians are reported, and of the pairs the median
// of the ratios with its quartiles and extremes, and whether it is within the budget.
func BenchmarkRecorder(b *testing.B) {
	writes, rate, objects := number(b, "BENCH_WRITES", 2000), number(b, "BENCH_RATE", 0), number(b, "BENCH_OBJECTS", 10_000)
	sides := []*recorderSide{newRecorderSide(b, objects, "--findings=false"), newRecorderSide(b, objects)}
	taken := []samples{{}, {}}
	ratios := samples{}
	for b.Loop() {
		round := len(taken[0]["cpu-µs/write"])
		for i := range sides {
			side := (i + round) % 2
			sides[side].measure(b, writes, rate, taken[side])
		}
		for unit := range taken[0] {
			ratios.add(taken[1][unit][round]/taken[0][unit][round], unit)
		}
	}
	b.Run("recorder=off", taken[0].report)
	b.Run("recorder=on", taken[1].report)
	b.Run("ratio", func(b *testing.B) {
		for unit, all := range ratios {
			slices.Sort(all)
			b.ReportMetric(ratios.median(unit), unit)
			b.ReportMetric(all[len(all)/4], unit+"-q1")
			b.ReportMetric(all[len(all)*3/4], unit+"-q3")
			b.ReportMetric(all[0], unit+"-min")
			b.ReportMetric(all[len(all)-1], unit+"-max")
			is, budget := "within", recorderBudget[unit]
			if m := ratios.median(unit); m < budget.least || m > budget.most {
				is = "beyond"
			}
			b.Logf("%s: median of %d ratios %.3f, %.3f to %.3f, is %s the budget of %.2f to %.2f", unit, len(all), ratios.median(unit), all[0], all[len(all)-1], is, budget.least, budget.most)
		}
		b.ReportMetric(0, "ns/op")
	})
}

// recorderSide is a run whose API server is measured.
type recorderSide struct {
	*cluster
	process *program.Process
	objects int
}

func newRecorderSide(b *testing.B, objects int, flags ...string) *recorderSide {
	b.Helper()
	dir := must(os.MkdirTemp("", "bench-"))(b)
	b.Cleanup(func() { check(b, os.RemoveAll(dir)) })
	side, kubeconfig := builtin(b, dir)
	side.Argv = append(side.Argv, flags...)
	s := &recorderSide{process: must(program.Start(side))(b), objects: objects}
	b.Cleanup(func() { check(b, s.process.End()) })
	s.cluster = &cluster{Server: must(api.Connect(b.Context(), kubeconfig, s.process.Done()))(b), kubeconfig: kubeconfig}
	_, _, err := s.process.Await(b.Context(), 0, "running the built-in controller")
	check(b, err)
	s.grow(b, objects)
	check(b, measure.Settle(s.process.PID(), 5)) // events of new objects are written one after the other, long after the objects
	return s
}

// measure has some writers update objects, and adds what that took.
func (s *recorderSide) measure(b *testing.B, writes, rate int, to samples) {
	b.Helper()
	var mu sync.Mutex
	var latencies []time.Duration
	before := must(measure.UsageOf(s.process.PID()))(b)
	check(b, each(b.Context(), 0, writes, recorderWriters, func(n int) error {
		if rate > 0 {
			time.Sleep(time.Until(before.At.Add(time.Duration(n) * time.Second / time.Duration(rate))))
		}
		sent := time.Now()
		_, _, err := s.bump(context.WithoutCancel(b.Context()), n%s.objects)
		mu.Lock()
		defer mu.Unlock()
		latencies = append(latencies, time.Since(sent))
		return err
	}))
	written := time.Now()
	check(b, measure.Settle(s.process.PID(), 1)) // what is decoded and written afterwards counts, and must not disturb the other side
	after := must(measure.UsageOf(s.process.PID()))(b)
	slices.Sort(latencies)
	to.add(float64((after.CPU-before.CPU).Microseconds())/float64(writes), "cpu-µs/write")
	to.add(float64(writes)/written.Sub(before.At).Seconds(), "writes/sec")
	to.add(float64(percentile(latencies, 0.99).Microseconds())/1000, "p99-ms")
	progress(fmt.Sprintf("%.0f µs of CPU a write", to["cpu-µs/write"][len(to["cpu-µs/write"])-1]))
}
