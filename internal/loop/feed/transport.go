package feed

import (
	"net/http"

	"k8s.io/client-go/rest"
)

// ClientConfig is a copy made fit for watching: no overall timeout, since it would cut every watch, and no client-side
// throttle unless the caller asked for one, since at the default of 5 a second events lag by minutes. Lists are asked for
// as they are: to pack them costs the API server more time than the network needs for them.
func ClientConfig(given *rest.Config) *rest.Config {
	config := rest.CopyConfig(given)
	config.Timeout = 0
	config.DisableCompression = true
	if config.QPS == 0 && config.RateLimiter == nil {
		config.QPS = -1
	}
	if config.UserAgent == "" {
		config.UserAgent = "crdctl-loop"
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return promptTransport{next} })
	return config
}

// promptTransport leaves it to the loop when to try again. An API server that is starting answers 503 with a
// Retry-After of 5 seconds, which client-go obeys without a word: the loop would be seconds late, ten times over.
type promptTransport struct {
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t promptTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if response != nil {
		response.Header.Del("Retry-After")
	}
	return response, err
}

// WrappedRoundTripper lets the connections beneath be closed.
func (t promptTransport) WrappedRoundTripper() http.RoundTripper { return t.next }
