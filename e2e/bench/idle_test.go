// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
)

// BenchmarkIdle measures what "crdctl run --builtin" uses for BENCH_IDLE seconds (20) once it has settled, without objects and
// with BENCH_OBJECTS (10000), of 1.5 KB, and how quickly 16 writers create these while the built-in controller works on them.
func BenchmarkIdle(b *testing.B) {
	objects, empty, full := number(b, "BENCH_OBJECTS", 10000), samples{}, samples{}
	for b.Loop() {
		func() {
			dir := must(os.MkdirTemp("", "bench-"))(b)
			defer func() { check(b, os.RemoveAll(dir)) }()
			side, kubeconfig := builtin(b, dir)
			process := must(program.Start(side))(b)
			defer func() { check(b, process.End()) }()
			server := must(api.Connect(b.Context(), kubeconfig, process.Done()))(b)
			_, _, err := process.Await(b.Context(), 0, "running the built-in controller")
			check(b, err)
			empty.idle(b, process.PID())
			progress("creating %d objects", objects)
			began := time.Now()
			check(b, each(b.Context(), 0, objects, 16, func(n int) error { return server.Create(b.Context(), widgetsPath, widget(n, 1000)) }))
			full.add(float64(objects)/time.Since(began).Seconds(), "creates/sec")
			full.idle(b, process.PID())
		}()
	}
	b.Run("objects=0", empty.report)
	b.Run(fmt.Sprintf("objects=%d", objects), full.report)
}

// idle lets a process settle, and then looks at it for a while.
func (s samples) idle(b *testing.B, pid int) {
	b.Helper()
	check(b, measure.Settle(pid, 5))
	before := must(measure.UsageOf(pid))(b)
	time.Sleep(time.Duration(number(b, "BENCH_IDLE", 20)) * time.Second)
	after := must(measure.UsageOf(pid))(b)
	s.add(after.Since(before), "%-of-a-core")
	for unit, bytes := range map[string]uint64{"resident-MB": after.Resident, "anonymous-MB": after.Anonymous, "peak-MB": after.Peak} {
		s.add(float64(bytes>>20), unit)
	}
}
