package controller

import "k8s.io/client-go/util/workqueue"

// queueMetrics is a workqueue.MetricsProvider whose metrics go nowhere.
type queueMetrics struct{}

type nowhere struct{}

func (nowhere) Inc()            {}
func (nowhere) Dec()            {}
func (nowhere) Set(float64)     {}
func (nowhere) Observe(float64) {}

func (queueMetrics) NewDepthMetric(string) workqueue.GaugeMetric            { return nowhere{} }
func (queueMetrics) NewAddsMetric(string) workqueue.CounterMetric           { return nowhere{} }
func (queueMetrics) NewLatencyMetric(string) workqueue.HistogramMetric      { return nowhere{} }
func (queueMetrics) NewWorkDurationMetric(string) workqueue.HistogramMetric { return nowhere{} }
func (queueMetrics) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return nowhere{}
}
func (queueMetrics) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return nowhere{}
}
func (queueMetrics) NewRetriesMetric(string) workqueue.CounterMetric { return nowhere{} }
