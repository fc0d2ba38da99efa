// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics is what the loop counts. A nil *Metrics counts nothing.
type Metrics struct {
	registry   *prometheus.Registry
	queues     *queues
	requests   *requests
	reconciles *prometheus.CounterVec
	hooks      *prometheus.HistogramVec
	writes     *prometheus.CounterVec
}

// NewMetrics makes all metrics of a loop, in a registry of their own.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewPedanticRegistry(),
		queues:   newQueues(),
		requests: newRequests(),
		reconciles: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "crdctl_loop_reconciles_total",
			Help: "Number of reconciles by kind and result."}, []string{"kind", "result"}),
		hooks: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "crdctl_loop_hook_duration_seconds",
			Help:    "Duration of hook calls in seconds by hook (sync, finalize, customize) and result.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2.5, 14)}, []string{"hook", "result"}),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "crdctl_loop_children_writes_total",
			Help: "Number of writes to children by the child's kind and verb."}, []string{"kind", "verb"}),
	}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.reconciles, m.hooks, m.writes)
	m.registry.MustRegister(m.queues.all()...)
	m.registry.MustRegister(m.requests.total, m.requests.duration)
	return m
}

// Reconciled counts a reconcile that ended.
func (m *Metrics) Reconciled(kind, result string) {
	if m != nil {
		m.reconciles.WithLabelValues(kind, result).Inc()
	}
}

// HookCalled counts a call of a hook, and how long it took.
func (m *Metrics) HookCalled(hook, result string, took time.Duration) {
	if m != nil {
		m.hooks.WithLabelValues(hook, result).Observe(took.Seconds())
	}
}

// ChildWritten counts a write to a child.
func (m *Metrics) ChildWritten(kind, verb string) {
	if m != nil {
		m.writes.WithLabelValues(kind, verb).Inc()
	}
}

// Cache says how many objects of a kind are cached: count is asked when the metrics are read. Each kind is given once.
func (m *Metrics) Cache(kind string, count func() int) {
	if m != nil {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "crdctl_loop_cache_objects",
			Help: "Number of objects in the cache by kind.", ConstLabels: prometheus.Labels{"kind": kind}},
			func() float64 { return float64(count()) }))
	}
}

// Leases says which Leases are held: held is asked when the metrics are read, since what expires by itself tells no one. It must
// always have the same names. The metric has the name that component-base's of leader election has.
func (m *Metrics) Leases(held func() map[string]bool) {
	if m == nil {
		return
	}
	for name := range held() {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "leader_election_master_status",
			Help: "1 if this replica holds the Lease of this name, else 0.", ConstLabels: prometheus.Labels{"name": name}}, func() float64 {
			if held()[name] {
				return 1
			}
			return 0
		}))
	}
}

// Transport counts the requests that go through it. It is for rest.Config.Wrap, innermost, so that each try is counted; without
// metrics it is the transport that was given.
func (m *Metrics) Transport(next http.RoundTripper) http.RoundTripper {
	if m == nil {
		return next
	}
	return &counted{next, m.requests}
}
