// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// gauges are what a replica holds by its metrics, with what one may hold more at the end than after its first round: memory is
// never exactly the same.
var gauges = []struct {
	what, metric string
	share, more  float64
}{
	{"MB of live heap", "go_memstats_heap_alloc_bytes", 0.2, 4},
	{"MB resident", "process_resident_memory_bytes", math.Inf(1), 0},
	{"goroutines", "go_goroutines", 0, 10},
	{"open files", "process_open_fds", 0, 8},
}

// holding is what a process of a replica holds when nothing is going on.
type holding struct {
	replica    string
	pid, round int
	spared     bool
	values     []float64 // as the gauges
}

func (h holding) String() string {
	var all []string
	for i, g := range gauges {
		all = append(all, fmt.Sprintf("%.4g %s", h.values[i], g.what))
	}
	return strings.Join(all, ", ")
}

// judge compares the first and the last state of each process.
func judge(states []holding) (wrong []string) {
	first, last := map[int]holding{}, map[int]holding{}
	for _, s := range states {
		if _, known := first[s.pid]; !known {
			first[s.pid] = s
		}
		last[s.pid] = s
	}
	for pid, a := range first {
		for i, g := range gauges {
			if b := last[pid]; b.values[i] > a.values[i]*(1+g.share)+g.more {
				wrong = append(wrong, fmt.Sprintf("replica %s, process %d, from round %d to %d: from %.4g to %.4g %s", a.replica, pid, a.round, b.round, a.values[i], b.values[i], g.what))
			}
		}
	}
	return wrong
}

// samples is how often is looked: the least of each is what stays when nothing is going on.
const samples = 8

// look notes the state of all replicas.
func (s *soak) look(ctx context.Context, round int) {
	hooks := s.hooks.processes()
	states := make([]holding, len(s.replicas))
	for range samples {
		idle(ctx, time.Second)
		hooks = min(hooks, s.hooks.processes())
		for i, r := range s.replicas {
			now := r.sample(ctx)
			for n, least := range states[i].values {
				now[n] = min(now[n], least)
			}
			states[i] = holding{replica: r.name, pid: r.PID(), round: round, spared: r.spared, values: now}
		}
	}
	for _, now := range states {
		s.say("round %d: replica %s (process %d): %s", round, now.replica, now.pid, now)
	}
	s.states = append(s.states, states...)
	if hooks > persistent {
		s.Errorf("round %d: %d hook processes when nothing is asked", round, hooks)
	}
}

// sample is what a replica holds now, in the order of the gauges.
func (r *replica) sample(ctx context.Context) (values []float64) {
	r.ask(ctx, "/debug/pprof/heap?gc=1") // which collects first
	metrics := r.ask(ctx, "/metrics")
	for _, g := range gauges {
		var n float64
		_, after, _ := strings.Cut(metrics, "\n"+g.metric+" ")
		_, err := fmt.Sscan(after, &n)
		require.NoError(r.soak, err, g.metric)
		if strings.HasSuffix(g.metric, "bytes") {
			n /= 1 << 20
		}
		values = append(values, n)
	}
	return values
}

func (r *replica) ask(ctx context.Context, path string) string {
	ctx, cancel := context.WithTimeout(ctx, requestPatience)
	defer cancel()
	request := must(http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.address()+path, nil))(r.soak)
	request.Close = true // or a connection would be among what it holds
	response := must(http.DefaultClient.Do(request))(r.soak)
	data := must(io.ReadAll(response.Body))(r.soak)
	require.NoError(r.soak, response.Body.Close())
	require.Equal(r.soak, http.StatusOK, response.StatusCode, "%s: %s", path, data)
	return string(data)
}
