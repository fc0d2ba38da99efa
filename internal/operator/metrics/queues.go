// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/util/workqueue"
)

// Queue is the name and the provider for the configuration of a workqueue: with metrics those, else no name. A queue that has a name
// and no provider would count for the API server in this process, and remember two times for each key to do so.
func (m *Metrics) Queue(name string) (string, workqueue.MetricsProvider) {
	if m == nil {
		return "", nil
	}
	return name, m.queues
}

// queues are the metrics of work queues. They are as component-base has them, whose own are registered globally.
type queues struct {
	depth, unfinished, longest *prometheus.GaugeVec
	adds, retries              *prometheus.CounterVec
	waited, worked             *prometheus.HistogramVec
}

func newQueues() *queues {
	label := []string{"name"}
	gauge := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Subsystem: "workqueue", Name: name, Help: help}, label)
	}
	counter := func(name, help string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Subsystem: "workqueue", Name: name, Help: help}, label)
	}
	histogram := func(name, help string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Subsystem: "workqueue", Name: name, Help: help,
			Buckets: prometheus.ExponentialBuckets(10e-9, 10, 10)}, label)
	}
	return &queues{
		depth:      gauge("depth", "Current depth of the work queue."),
		adds:       counter("adds_total", "Number of keys added to the work queue."),
		waited:     histogram("queue_duration_seconds", "Time in seconds that a key waits in the work queue."),
		worked:     histogram("work_duration_seconds", "Time in seconds that processing a key takes."),
		unfinished: gauge("unfinished_work_seconds", "Seconds of work in progress that work_duration_seconds does not have yet; grows when workers are stuck."),
		longest:    gauge("longest_running_processor_seconds", "Seconds that the longest-running worker has been running."),
		retries:    counter("retries_total", "Number of retries, which are delayed by a back-off."),
	}
}

func (q *queues) all() []prometheus.Collector {
	return []prometheus.Collector{q.depth, q.adds, q.waited, q.worked, q.unfinished, q.longest, q.retries}
}

func (q *queues) NewDepthMetric(name string) workqueue.GaugeMetric {
	return q.depth.WithLabelValues(name)
}

func (q *queues) NewAddsMetric(name string) workqueue.CounterMetric {
	return q.adds.WithLabelValues(name)
}

func (q *queues) NewLatencyMetric(name string) workqueue.HistogramMetric {
	return q.waited.WithLabelValues(name)
}

func (q *queues) NewWorkDurationMetric(name string) workqueue.HistogramMetric {
	return q.worked.WithLabelValues(name)
}

func (q *queues) NewUnfinishedWorkSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return q.unfinished.WithLabelValues(name)
}

func (q *queues) NewLongestRunningProcessorSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return q.longest.WithLabelValues(name)
}

func (q *queues) NewRetriesMetric(name string) workqueue.CounterMetric {
	return q.retries.WithLabelValues(name)
}
