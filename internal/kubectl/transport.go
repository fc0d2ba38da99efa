// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"io"
	"net/http"
)

// endRequestsWith ties every request to ctx. kubectl makes most of its requests, watches included, with a context of
// its own that nothing outside can end.
func endRequestsWith(ctx context.Context) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return endingTransport{next: next, ctx: ctx}
	}
}

type endingTransport struct {
	next http.RoundTripper
	ctx  context.Context
}

// RoundTrip implements http.RoundTripper.
func (t endingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(request.Context())
	stop := context.AfterFunc(t.ctx, cancel)
	release := func() { stop(); cancel() }
	response, err := t.next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		release()
		return nil, err
	}
	if response.StatusCode == http.StatusSwitchingProtocols {
		return response, nil // the connection has changed hands, and the body may be more than a reader
	}
	response.Body = endingBody{response.Body, t.ctx, release}
	return response, nil
}

// WrappedRoundTripper lets client-go find the transport beneath.
func (t endingTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

// endingBody ends without an error when ctx does, so that a watch that was cut off closes and prints none. It lets go
// of ctx when the response has been read.
type endingBody struct {
	io.ReadCloser
	ctx     context.Context
	release func()
}

// Read implements io.Reader.
func (b endingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && b.ctx.Err() != nil {
		err = io.EOF
	}
	return n, err
}

// Close implements io.Closer.
func (b endingBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
