// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const (
	maxRedirects  = 3
	maxRetryAfter = time.Minute // a server cannot put an object to sleep for longer
	maxIdle       = 64          // connections that are kept for the next calls: as many as calls at a time, mostly
)

// newClient is a client with connections of its own, so that closing them disturbs no other client.
func newClient() (*http.Client, *http.Transport) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = maxIdle, maxIdle
	return &http.Client{Transport: transport, CheckRedirect: checkRedirect}, transport
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	if r.Method != http.MethodPost { // 301, 302 and 303 make it a GET, without the question
		return errors.New("the redirect drops the request body; redirect with 307 or 308")
	}
	return nil
}

// web asks a web server.
type web struct {
	url     string
	client  *http.Client
	timeout time.Duration
	limit   int64
}

func (w *web) call(ctx context.Context, c Call) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, w.timeout, timedOut(w.timeout))
	defer cancel()
	c.started()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(c.Body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := w.client.Do(request)
	if err != nil {
		return nil, because(ctx, err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read, or is of no use
	if response.StatusCode != http.StatusOK {
		begin, _ := readUpTo(response.Body, shown) // of what cannot be read, the status says enough
		err := private(fmt.Errorf("the server answered %s", response.Status), ": "+show(begin)+"; see the server's own log")
		if after, ok := retryAfter(response, time.Now()); ok {
			return nil, &RetryAfterError{After: after, Err: err}
		}
		return nil, err
	}
	answer, err := readUpTo(response.Body, w.limit)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, tooLarge(w.limit)
	case err != nil:
		return nil, because(ctx, fmt.Errorf("read the answer: %w", err))
	}
	return answer, checkAnswer(answer)
}

// because is why a request failed: the time-out or the end of the run, if it was one of these.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fmt.Errorf("%w; check that the server runs and is reachable", withoutURL(err))
}

// retryAfter is when a server that is too busy wants to be asked again. At once is as if it had not said when.
func retryAfter(r *http.Response, now time.Time) (time.Duration, bool) {
	if r.StatusCode != http.StatusTooManyRequests && r.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	header := r.Header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(header, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), int64(maxRetryAfter/time.Second))) * time.Second, seconds > 0
	}
	if at, err := http.ParseTime(header); err == nil {
		after := at.Sub(now)
		return min(after, maxRetryAfter), after > 0
	}
	return 0, false
}
