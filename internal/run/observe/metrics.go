// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/crdctl/crdctl/internal/trace"
)

const (
	// sampleEvery is how often the metrics are read.
	sampleEvery = time.Second
	// maxMetrics bounds what is read of an answer.
	maxMetrics = 8 << 20
	// maxSamples bounds a record.
	maxSamples = 1000
)

// kept are the beginnings of the names of metrics that are recorded.
var kept = []string{"controller_runtime_", "workqueue_", "rest_client_requests_total", "rest_client_rate_limiter_duration_seconds"}

// Sample reads the metrics of the controller at an address of this machine once a second, until the context ends, and records them when
// they changed. What does not answer, or wants credentials, is asked again; a server of TLS is not, since it logs each time.
func (r *Run) Sample(ctx context.Context, address string) {
	if r == nil || address == "" {
		return
	}
	client := &http.Client{Timeout: sampleEvery, Transport: &http.Transport{Proxy: nil, MaxIdleConns: 1}}
	defer client.CloseIdleConnections()
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	var last map[string]float64
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		samples, err := read(ctx, client, "http://"+address+"/metrics")
		if errors.Is(err, errTLS) {
			return
		}
		if err != nil || len(samples) == 0 || maps.Equal(samples, last) {
			continue
		}
		last = samples
		r.sink.Add(&trace.Metrics{Samples: samples})
	}
}

// errTLS is the error of a server that wants TLS, as Go's says in plain HTTP.
var errTLS = errors.New("the server wants TLS")

func read(ctx context.Context, client *http.Client, url string) (_ map[string]float64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/plain")
	answer, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		if said, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10)); answer.StatusCode == http.StatusBadRequest && bytes.Contains(said, []byte("HTTPS server")) {
			return nil, errTLS
		}
		return nil, fmt.Errorf("%s: %s", url, answer.Status)
	}
	return samplesOf(io.LimitReader(answer.Body, maxMetrics))
}

// samplesOf reads metrics in the text format. Of a histogram and a summary it keeps sum and count.
func samplesOf(text io.Reader) (map[string]float64, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	all := map[string]float64{}
	for name, family := range families {
		if !slices.ContainsFunc(kept, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		for _, m := range family.GetMetric() {
			if len(all) >= maxSamples {
				return all, nil
			}
			add(all, name, family.GetType(), m)
		}
	}
	return all, nil
}

func add(all map[string]float64, name string, kind dto.MetricType, m *dto.Metric) {
	labels := labelsOf(m)
	set := func(name string, value float64) {
		if !math.IsNaN(value) && !math.IsInf(value, 0) { // JSON has neither
			all[name+labels] = value
		}
	}
	switch kind {
	case dto.MetricType_COUNTER:
		set(name, m.GetCounter().GetValue())
	case dto.MetricType_GAUGE:
		set(name, m.GetGauge().GetValue())
	case dto.MetricType_UNTYPED:
		set(name, m.GetUntyped().GetValue())
	case dto.MetricType_HISTOGRAM, dto.MetricType_GAUGE_HISTOGRAM:
		set(name+"_sum", m.GetHistogram().GetSampleSum())
		set(name+"_count", float64(m.GetHistogram().GetSampleCount()))
	case dto.MetricType_SUMMARY:
		set(name+"_sum", m.GetSummary().GetSampleSum())
		set(name+"_count", float64(m.GetSummary().GetSampleCount()))
	}
}

// labelsOf writes labels as Prometheus does; nothing where there are none.
func labelsOf(m *dto.Metric) string {
	if len(m.GetLabel()) == 0 {
		return ""
	}
	var pairs []string
	for _, l := range m.GetLabel() {
		pairs = append(pairs, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
	}
	return "{" + strings.Join(pairs, ",") + "}"
}
