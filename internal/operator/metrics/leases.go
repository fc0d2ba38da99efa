package metrics

import "github.com/prometheus/client_golang/prometheus"

// leaderStatus has the name that component-base's metric of leader election has.
var leaderStatus = prometheus.NewDesc("leader_election_master_status",
	"Whether this replica holds the Lease of this name: 1 or 0.", []string{"name"}, nil)

// leases asks who knows when the metrics are read: what expires by itself tells nobody.
type leases struct{ held func() map[string]bool }

// Describe implements prometheus.Collector.
func (leases) Describe(descriptions chan<- *prometheus.Desc) { descriptions <- leaderStatus }

// Collect implements prometheus.Collector.
func (l leases) Collect(metrics chan<- prometheus.Metric) {
	for name, held := range l.held() {
		value := 0.0
		if held {
			value = 1
		}
		metrics <- prometheus.MustNewConstMetric(leaderStatus, prometheus.GaugeValue, value, name)
	}
}
