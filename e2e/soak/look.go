package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/procfs"
	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// holding is what a replica holds when nothing is going on.
type holding struct {
	replica    string
	pid, round int
	heap       uint64 // bytes that are live
	resident   uint64
	goroutines int
	files      int
	hooks      int // processes
	cpu, lived time.Duration
	spared     bool
}

func (s holding) String() string {
	return fmt.Sprintf("heap %.2f MB, RSS %.1f MB, %d goroutines, %d files, %d hooks, CPU %s in %s",
		megabytes(s.heap), megabytes(s.resident), s.goroutines, s.files, s.hooks, hundredth(s.cpu), s.lived.Round(time.Second))
}

func megabytes(bytes uint64) float64 { return float64(bytes) / (1 << 20) }

// samples is how often is looked: the least of each is what stays when nothing is going on.
const samples = 8

// look notes the state of all replicas.
func (s *soak) look(ctx context.Context, round int) error {
	states := make([]holding, len(s.replicas))
	var group errgroup.Group
	for i, r := range s.replicas {
		group.Go(func() (err error) {
			if states[i], err = r.state(ctx); err != nil {
				return fmt.Errorf("look at replica %s: %w; see %s", r.name, err, r.log.Name())
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, now := range states {
		now.round = round
		s.states = append(s.states, now)
		s.say("round %d: replica %s (process %d): %s", round, now.replica, now.pid, now)
	}
	return nil
}

func (r *replica) state(ctx context.Context) (least holding, err error) {
	for n := range samples {
		if n > 0 {
			idle(ctx, time.Second)
		}
		now, err := r.sample(ctx)
		if err != nil {
			return least, err
		}
		if n > 0 {
			now.heap, now.resident = min(now.heap, least.heap), min(now.resident, least.resident)
			now.goroutines, now.files, now.hooks = min(now.goroutines, least.goroutines), min(now.files, least.files), min(now.hooks, least.hooks)
		}
		least = now
	}
	return least, nil
}

func (r *replica) sample(ctx context.Context) (s holding, err error) {
	s.replica, s.spared, s.pid = r.name, r.spared, r.PID()
	if _, err = r.ask(ctx, "/debug/pprof/heap?gc=1"); err != nil { // which collects first
		return s, err
	}
	text, err := r.ask(ctx, "/metrics")
	if err != nil {
		return s, err
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	metrics, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return s, err
	}
	heap, goroutines := metrics["go_memstats_heap_alloc_bytes"].GetMetric(), metrics["go_goroutines"].GetMetric()
	if len(heap) != 1 || len(goroutines) != 1 {
		return s, errors.New("/metrics lacks the heap or the goroutines")
	}
	s.heap, s.goroutines = uint64(heap[0].GetGauge().GetValue()), int(goroutines[0].GetGauge().GetValue())
	used, err := measure.UsageOf(s.pid)
	if err != nil {
		return s, err
	}
	s.resident, s.cpu = used.Resident, used.CPU
	p, err := procfs.NewProc(s.pid)
	if err != nil {
		return s, err
	}
	if s.files, err = p.FileDescriptorsLen(); err != nil {
		return s, err
	}
	s.lived = time.Since(r.Began)
	s.hooks, err = countProcesses(func(p procfs.Proc) bool { // that it started and has not waited for
		stat, err := p.Stat()
		return err == nil && stat.PPID == s.pid
	})
	return s, err
}

func (r *replica) ask(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.address+path, nil)
	if err != nil {
		return "", err
	}
	request.Close = true // or a connection would be among what it holds
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", path, response.Status)
	}
	return string(data), err
}

// countProcesses counts the processes that match. A process that ends meanwhile does not.
func countProcesses(matches func(procfs.Proc) bool) (n int, err error) {
	all, err := procfs.AllProcs()
	for _, p := range all {
		if matches(p) {
			n++
		}
	}
	return n, err
}
