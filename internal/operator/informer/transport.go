// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/crdctl/crdctl/internal/config"
)

// ClientConfig returns a copy fit for watching: no overall timeout, since it would cut every watch. Lists are not compressed:
// to pack them costs the API server more time than the network needs for them. A configuration without any limit gets the
// default ones: client-go's 5 requests a second delay events by minutes.
func ClientConfig(given *rest.Config) *rest.Config {
	cfg := rest.CopyConfig(given)
	cfg.Timeout = 0
	cfg.DisableCompression = true
	if cfg.QPS == 0 && cfg.RateLimiter == nil {
		cfg.QPS, cfg.Burst = config.DefaultLoopQPS, config.DefaultLoopBurst
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = "crdctl-loop"
	}
	return cfg
}

// Unlimited returns a copy without a client-side limit on the rate of requests. Retry-After is still obeyed.
func Unlimited(given *rest.Config) *rest.Config {
	cfg := rest.CopyConfig(given)
	cfg.QPS, cfg.RateLimiter = -1, nil
	return cfg
}

// Limited returns a copy for a cluster that others use too. All clients made from it share one limit of qps requests a second,
// with bursts; -1 disables the limit. Requests that the API server rejects with a Retry-After header are repeated after that time by
// client-go, which does not log it: log does, at most every half minute.
func Limited(given *rest.Config, qps, burst int, log *slog.Logger) *rest.Config {
	cfg := Unlimited(given)
	if qps > 0 {
		cfg.QPS, cfg.Burst = float32(qps), burst
		cfg.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(float32(qps), burst)
	}
	told := &delays{log: log, seldom: rate.Sometimes{Interval: 30 * time.Second}}
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return toldTransport{next, told} })
	return cfg
}

// Prompt returns a copy for crdctl's own control plane, which serves no other client: no limit on the rate of requests, and the loop
// alone decides when to retry. An API server that is starting answers 503 with a Retry-After of 5 seconds, which would
// delay the loop ten times over.
func Prompt(given *rest.Config) *rest.Config {
	cfg := Unlimited(given)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return promptTransport{next} })
	return cfg
}

// promptTransport hides Retry-After from client-go.
type promptTransport struct {
	next http.RoundTripper
}

func (t promptTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if response != nil {
		response.Header.Del("Retry-After")
	}
	return response, err
}

// WrappedRoundTripper lets the connections beneath be closed.
func (t promptTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

// toldTransport logs that the API server asks for a delay, and fails requests that FailOnDelay is about.
type toldTransport struct {
	next http.RoundTripper
	told *delays
}

func (t toldTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if response != nil && (response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= http.StatusInternalServerError) {
		if after := response.Header.Get("Retry-After"); after != "" {
			t.told.tell(response.StatusCode, after)
			if err := delayed(request, response); err != nil {
				return nil, err
			}
		}
	}
	return response, err
}

// WrappedRoundTripper lets the connections beneath be closed.
func (t toldTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

// delays reports the delays that an API server asks for.
type delays struct {
	log    *slog.Logger
	seldom rate.Sometimes
	since  atomic.Int64 // responses since the last report
}

func (d *delays) tell(code int, after string) {
	d.since.Add(1)
	d.seldom.Do(func() {
		d.log.Warn("API server is busy and asks for a delay; waiting", "code", code, "retryAfter", after, "responses", d.since.Swap(0))
	})
}
