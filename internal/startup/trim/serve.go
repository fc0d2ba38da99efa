// SPDX-License-Identifier: Apache-2.0

package trim

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/crdctl/crdctl/internal/startup/hugepages"
)

const (
	// startTime is how long a control plane goes on using what it needed for its start.
	startTime = 3 * time.Second
	startStep = time.Second
	// adjustEvery is how often the collector is adjusted to what there is to collect.
	adjustEvery = 15 * time.Second
	// small is up to how much live memory it is better to collect often than to be large: to go over it takes some
	// milliseconds. Above it, throughput counts.
	small = 160 << 20
	// headroom is how much may be allocated between two collections at least, however little there is to collect, up to mostPercent. A
	// control loop with 5 MB of live memory that collects after 2.5 MB does so again and again: the median of the 99th percentiles of its
	// latency was 1.15 ms, and is 0.7 ms with 16 MB, in 8 pairs at 100 updates a second. It holds 7 MB more then.
	headroom    = 16 << 20
	mostPercent = 400
)

// Started gives back, once, what a server needed for its start, and leaves the collector as it is: for a server that has work as soon
// as it is ready. In a suite on envtest that installs four large CRDs, an API server that Server keeps small needs a fifth more
// CPU time than one that Started does.
func Started(ctx context.Context) {
	go func() {
		for range startTime / startStep {
			select {
			case <-ctx.Done():
				return
			case <-time.After(startStep):
				Program() // a start reads on through the program's file
			}
		}
		Heap()
	}()
}

// Server keeps a process small that serves for long and mostly waits, until the context ends. Who sets GOGC decides for himself
// how often memory is collected.
func Server(ctx context.Context) {
	go func() {
		timer := time.NewTimer(startTime)
		defer timer.Stop()
		for first := true; ; first = false {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			adjust()
			if first {
				Program()
				Heap()
			}
			timer.Reset(adjustEvery)
		}
	}()
}

// Heap gives back the memory of Go that is not in use. What is used from then on comes in pages of the usual size: large ones would
// grow again where the collector releases a part of them.
func Heap() {
	hugepages.Stop()
	debug.FreeOSMemory()
}

func adjust() {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() == metrics.KindUint64 {
		debug.SetGCPercent(percent(live[0].Value.Uint64()))
	}
}

// percent is by how much the heap may grow until the next collection, by the live memory after the last one.
func percent(live uint64) int {
	if live >= small {
		return 100
	}
	return int(min(max(50, headroom*100/max(live, 1)), mostPercent))
}
