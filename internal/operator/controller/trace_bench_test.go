// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/redact"
)

// BenchmarkTrace gives what recording adds to the processor time of a loop that reconciles 50,000 objects for the first time, and once
// more, in pairs without and with a recorder: in the median and from the least to the most. The reconciler logs what it sees, and does
// nothing else: there is none that does less.
func BenchmarkTrace(b *testing.B) {
	const many = 50_000
	objects := make([]string, many)
	for i := range objects {
		objects[i] = operatortest.CronTab(fmt.Sprintf("crontab-%d", i), fmt.Sprint(i+1), 2)
	}
	for name, reconciler := range map[string]func(time.Duration) Maker{
		"nothing": func(time.Duration) Maker { return Log(slog.New(slog.NewTextHandler(io.Discard, nil))) },
		"work":    working,
	} {
		b.Run(name, func(b *testing.B) {
			var first, again []float64
			for b.Loop() {
				without, with := reconcileTwice(b, objects, reconciler(hookTime), false), reconcileTwice(b, objects, reconciler(hookTime), true)
				first, again = append(first, with[0]/without[0]), append(again, with[1]/without[1])
			}
			for what, all := range map[string][]float64{"first": first, "again": again} {
				slices.Sort(all)
				b.ReportMetric(100*(all[len(all)/2]-1), what+"-%")
				b.ReportMetric(100*(all[0]-1), what+"-least-%")
				b.ReportMetric(100*(all[len(all)-1]-1), what+"-most-%")
			}
		})
	}
}

// hookTime is the processor time that asking templates for a child takes, at least.
const hookTime = 100 * time.Microsecond

// working makes reconcilers that take processor time.
func working(each time.Duration) Maker {
	return by(func(Request) error {
		for began := time.Now(); time.Since(began) < each; {
		}
		return nil
	})
}

// reconcileTwice returns the seconds of processor time of each.
func reconcileTwice(b *testing.B, objects []string, maker Maker, record bool) (took [2]float64) {
	b.Helper()
	api := operatortest.NewAPI()
	api.At(operatortest.CronTabs).Answer(nil, objects...)
	var done atomic.Int64
	o := Options{
		Config: informer.Prompt(&rest.Config{Host: "http://api.test", Transport: api, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}),
		Kinds:  []Kind{cronTab}, Log: slog.New(slog.DiscardHandler), NoEvents: true,
		Reconciler: func(h Handle) (Reconciler, error) {
			r, err := maker(h)
			return counting{r, &done}, err
		},
	}
	var recorder *trace.Recorder
	if record {
		var err error
		recorder, err = trace.New(trace.Options{Redact: redact.New(redact.Options{}).Line})
		require.NoError(b, err)
		o.Trace = pipeline.New(recorder, trace.BodiesNone)
	}
	var state State
	o.Started = func(s State) { state = s }
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	before := cpu(b)
	go func() { ended <- Run(ctx, o) }()
	for i := range took {
		for done.Load() < int64((i+1)*len(objects)) {
			time.Sleep(time.Millisecond)
		}
		took[i] = cpu(b) - before
		before = cpu(b)
		if i == 0 {
			state.EnqueueAll(pipeline.Hook, nil)
		}
	}
	stop()
	require.NoError(b, <-ended)
	if recorder != nil {
		require.NoError(b, recorder.Close())
	}
	return took
}

type counting struct {
	Reconciler
	done *atomic.Int64
}

func (c counting) Reconcile(ctx context.Context, r Request) (Result, error) {
	defer c.done.Add(1)
	return c.Reconciler.Reconcile(ctx, r)
}

func cpu(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
