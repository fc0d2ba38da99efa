// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
)

// scrape reads the metrics as Prometheus would.
func scrape(t *testing.T, url string) map[string]*dto.MetricFamily {
	t.Helper()
	status, text := get(t, url+"/metrics")
	require.Equal(t, http.StatusOK, status, text)
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	require.NoError(t, err, text)
	return families
}

// value is a metric's value, or how often it was observed. Labels are name=value, in the order of the names.
func value(families map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	for _, m := range families[name].GetMetric() {
		var have []string
		for _, l := range m.GetLabel() {
			have = append(have, l.GetName()+"="+l.GetValue())
		}
		if slices.Equal(have, labels) {
			switch {
			case m.Counter != nil:
				return m.Counter.GetValue()
			case m.Gauge != nil:
				return m.Gauge.GetValue()
			}
			return float64(m.Histogram.GetSampleCount())
		}
	}
	return -1
}

func TestMetricsOfAQueue(t *testing.T) {
	m := NewMetrics()
	url := serving(t, Options{Metrics: m})
	name, provider := m.Queue("crontabs.stable.example.com")
	queue := workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, time.Millisecond),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: name, MetricsProvider: provider})
	defer queue.ShutDown()
	queue.Add("a")
	queue.Add("b")
	key, _ := queue.Get()
	queue.AddRateLimited(key)
	queue.Done(key)
	label := "name=crontabs.stable.example.com"
	families := scrape(t, url)
	// A goroutine of the queue adds the key that comes back, and counts it in two metrics.
	for end := time.Now().Add(30 * time.Second); value(families, "workqueue_adds_total", label) != 3 || value(families, "workqueue_depth", label) != 2; families = scrape(t, url) {
		require.True(t, time.Now().Before(end), "the key does not come back")
	}
	for metric, want := range map[string]float64{
		"workqueue_queue_duration_seconds": 1, "workqueue_work_duration_seconds": 1, "workqueue_retries_total": 1,
		"workqueue_unfinished_work_seconds": 0, "workqueue_longest_running_processor_seconds": 0,
	} {
		assert.Equal(t, want, value(families, metric, label), metric)
	}
}

func TestMetricsOfTheLoop(t *testing.T) {
	m := NewMetrics()
	url := serving(t, Options{Metrics: m})
	objects := 7
	m.Cache("crontabs", func() int { return objects })
	m.Cache("deployments", func() int { return 3 })
	m.Leases(func() map[string]bool { return map[string]bool{"loop-shard-0": true, "loop-shard-1": false} })
	m.Reconciled("crontabs", "ok")
	m.Reconciled("crontabs", "error")
	m.Reconciled("crontabs", "ok")
	m.HookCalled("sync", "ok", 20*time.Millisecond)
	m.ChildWritten("deployments", "apply")
	objects = 8
	families := scrape(t, url)
	for _, c := range []struct {
		want   float64
		metric string
		labels []string
	}{
		{2, "crdctl_loop_reconciles_total", []string{"kind=crontabs", "result=ok"}},
		{1, "crdctl_loop_reconciles_total", []string{"kind=crontabs", "result=error"}},
		{1, "crdctl_loop_hook_duration_seconds", []string{"hook=sync", "result=ok"}},
		{1, "crdctl_loop_children_writes_total", []string{"kind=deployments", "verb=apply"}},
		{8, "crdctl_loop_cache_objects", []string{"kind=crontabs"}},
		{3, "crdctl_loop_cache_objects", []string{"kind=deployments"}},
		{1, "leader_election_master_status", []string{"name=loop-shard-0"}},
		{0, "leader_election_master_status", []string{"name=loop-shard-1"}},
	} {
		assert.Equal(t, c.want, value(families, c.metric, c.labels...), "%s%v", c.metric, c.labels)
	}
	for _, name := range []string{"go_goroutines", "process_cpu_seconds_total", "process_resident_memory_bytes"} {
		assert.NotNil(t, families[name], "no %s", name)
	}
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestMetricsOfRequests(t *testing.T) {
	m := NewMetrics()
	url := serving(t, Options{Metrics: m})
	transport := m.Transport(transportFunc(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPatch {
			return nil, errors.New("refused")
		}
		return &http.Response{StatusCode: http.StatusConflict, Body: http.NoBody}, nil
	}))
	for _, method := range []string{"PUT", "PUT", "PATCH"} {
		response, err := transport.RoundTrip(httptest.NewRequest(method, "https://10.0.0.1:443/apis", nil))
		if err == nil {
			_ = response.Body.Close()
		}
	}
	families := scrape(t, url)
	assert.EqualValues(t, 2, value(families, "rest_client_requests_total", "code=409", "host=10.0.0.1:443", "method=PUT"), "requests with conflicts")
	assert.EqualValues(t, 1, value(families, "rest_client_requests_total", "code=<error>", "host=10.0.0.1:443", "method=PATCH"), "requests without an answer")
	assert.EqualValues(t, 2, value(families, "rest_client_request_duration_seconds", "host=10.0.0.1:443", "verb=PUT"), "durations")
}

// An API server in this process has its metrics in the global registry, and neither sees the other's.
func TestARegistryOfItsOwn(t *testing.T) {
	foreign := prometheus.NewCounter(prometheus.CounterOpts{Name: "apiserver_something_total"})
	prometheus.MustRegister(foreign)
	defer prometheus.Unregister(foreign)
	m := NewMetrics()
	m.Reconciled("crontabs", "ok")
	for name := range scrape(t, serving(t, Options{Metrics: m})) {
		assert.True(t, slices.ContainsFunc([]string{"go_", "process_", "crdctl_loop_"}, func(p string) bool { return strings.HasPrefix(name, p) }), "%s is not of the loop", name)
	}
	global, err := prometheus.DefaultGatherer.Gather()
	require.NoError(t, err)
	for _, family := range global {
		assert.False(t, strings.HasPrefix(family.GetName(), "crdctl_"), "%s is registered globally", family.GetName())
	}
}

// Without metrics nothing is counted, allocated or wrapped.
func TestWithoutMetrics(t *testing.T) {
	var m *Metrics
	allocated := testing.AllocsPerRun(100, func() {
		m.Reconciled("crontabs", "ok")
		m.HookCalled("sync", "ok", time.Second)
		m.ChildWritten("deployments", "apply")
		m.Cache("crontabs", nil)
		m.Leases(nil)
	})
	assert.Zero(t, allocated)
	if name, provider := m.Queue("crontabs"); name != "" || provider != nil {
		t.Errorf("a queue would count: %q, %v", name, provider)
	}
	assert.Same(t, http.DefaultTransport, m.Transport(http.DefaultTransport))
}
