package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// metric is something that is measured, as the tables name it.
type metric string

const (
	start     metric = "start, s"
	startCPU  metric = "CPU until synced, s"
	peak      metric = "peak, MB"
	resident  metric = "after collection, MB"
	heap      metric = "heap, MB"
	perObject metric = "heap per object, B"
	p50       metric = "latency p50, ms"
	p99       metric = "latency p99, ms"
	perUpdate metric = "CPU per update, ms"
	perBurst  metric = "the same in a burst, ms"
	noops     metric = "no-op reconciles per s"
	perWrite  metric = "reconciles per write"
	lost      metric = "lost"
)

// columns are the metrics in the order of the tables, and what divides the unit that they are measured in (seconds, bytes).
var columns = []struct {
	metric
	unit   float64
	digits int
}{
	{start, 1, 2}, {startCPU, 1, 2}, {peak, 1 << 20, 0}, {resident, 1 << 20, 0}, {perObject, 1, 0}, {p50, 1e-3, 2}, {p99, 1e-3, 2},
	{perUpdate, 1e-3, 3}, {perBurst, 1e-3, 3}, {noops, 1, 0}, {perWrite, 1, 2}, {lost, 1, 0},
}

// result is what one run of one side gave.
type result map[metric]float64

// String is for who waits.
func (r result) String() string {
	var parts []string
	for _, c := range columns {
		if v, measured := r[c.metric]; measured {
			parts = append(parts, fmt.Sprintf("%s %.*f", c.metric, c.digits, v/c.unit))
		}
	}
	return strings.Join(parts, "; ")
}

// medianOf is the median of a metric over the runs of a side.
func medianOf(results []result, m metric) float64 {
	var all []float64
	for _, r := range results {
		if v, measured := r[m]; measured {
			all = append(all, v)
		}
	}
	return measure.Median(all)
}

// worst is the largest of a metric: where one run that is wrong is wrong enough.
func worst(results []result, m metric) (most float64) {
	for _, r := range results {
		most = max(most, r[m])
	}
	return most
}

// measured tells whether a side has a metric.
func measured(results []result, m metric) bool {
	return slices.ContainsFunc(results, func(r result) bool { _, ok := r[m]; return ok })
}
