package trim

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
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
		debug.FreeOSMemory()
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
				debug.FreeOSMemory()
			}
			timer.Reset(adjustEvery)
		}
	}()
}

func adjust() {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := 100
	if live[0].Value.Kind() == metrics.KindUint64 && live[0].Value.Uint64() < small {
		percent = 50
	}
	debug.SetGCPercent(percent)
}
