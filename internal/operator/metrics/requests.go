// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// requests are the metrics of the loop's client, with the names, labels and buckets of component-base. Sizes are not counted:
// a watch has none.
type requests struct {
	total    *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newRequests() *requests {
	return &requests{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rest_client_requests_total",
			Help: "Number of requests to the API server by status code, method and host."}, []string{"code", "method", "host"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "rest_client_request_duration_seconds",
			Help:    "Time in seconds until the API server's response begins, by verb and host.",
			Buckets: []float64{0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0}}, []string{"verb", "host"}),
	}
}

// counted is a transport that counts.
type counted struct {
	next http.RoundTripper
	*requests
}

func (c *counted) RoundTrip(request *http.Request) (*http.Response, error) {
	began := time.Now()
	response, err := c.next.RoundTrip(request)
	code := "<error>" // as client-go has it
	if err == nil {
		code = strconv.Itoa(response.StatusCode)
	}
	c.duration.WithLabelValues(request.Method, request.URL.Host).Observe(time.Since(began).Seconds())
	c.total.WithLabelValues(code, request.Method, request.URL.Host).Inc()
	return response, err
}

// WrappedRoundTripper lets the connections beneath be closed.
func (c *counted) WrappedRoundTripper() http.RoundTripper { return c.next }
