// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// DelayedError is the error of a request that the API server asks to repeat after its deadline.
type DelayedError struct {
	Code  int
	After time.Duration
}

func (e *DelayedError) Error() string {
	return fmt.Sprintf("the API server is busy (status %d) and asks for a delay of %s", e.Code, e.After)
}

type failOnDelayKey struct{}

// FailOnDelay returns a context whose requests fail with a DelayedError where client-go would wait for a repetition until the
// deadline of the request, and then not make it. It is for callers that can come back later.
func FailOnDelay(ctx context.Context) context.Context {
	return context.WithValue(ctx, failOnDelayKey{}, true)
}

// delayed is the error of a response that is not worth waiting for; nil for others.
func delayed(request *http.Request, response *http.Response) error {
	ctx := request.Context()
	deadline, bounded := ctx.Deadline()
	if !bounded || ctx.Value(failOnDelayKey{}) == nil {
		return nil
	}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After")) // client-go reads no dates
	if err != nil {
		return nil //nolint:nilerr // it does not wait then
	}
	after := time.Duration(min(max(seconds, 0), maxDelay)) * time.Second
	if after <= time.Until(deadline) {
		return nil
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // so that the connection can be used again
	_ = response.Body.Close()
	return &DelayedError{Code: response.StatusCode, After: after}
}

// maxDelay is the longest delay, in seconds, that an object is put off for: an API server that is back should not wait for the
// loop any longer.
const maxDelay = 3600
