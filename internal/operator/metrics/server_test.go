// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serving is a server on a free port, which ends with the test.
func serving(t *testing.T, o Options) string {
	t.Helper()
	o.Addr = "127.0.0.1:0"
	server, err := Listen(o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended, "the server ended")
		if conn, err := net.Dial("tcp", server.Addr()); err == nil {
			_ = conn.Close()
			t.Error("it still listens")
		}
	})
	return "http://" + server.Addr()
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := (&http.Client{Transport: transport, Timeout: 30 * time.Second}).Get(url)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

func TestProbes(t *testing.T) {
	var notReady, notAlive error
	url := serving(t, Options{Ready: func() error { return notReady }, Live: func() error { return notAlive }})
	check := func(path string, status int, text string) {
		t.Helper()
		if gotStatus, got := get(t, url+path); gotStatus != status || got != text {
			t.Errorf("%s: %d %q, want %d %q", path, gotStatus, got, status, text)
		}
	}
	notReady = errors.New("crontabs.stable.example.com: not listed yet")
	check("/readyz", 503, "crontabs.stable.example.com: not listed yet")
	check("/healthz", 200, "ok")
	notReady, notAlive = nil, errors.New("a worker is stuck")
	check("/readyz", 200, "ok")
	check("/healthz", 503, "a worker is stuck")
	check("/livez", 503, "a worker is stuck")
}

// What was not asked for is not served; a probe without a check succeeds.
func TestOnlyWhatWasAskedFor(t *testing.T) {
	bare, all := serving(t, Options{}), serving(t, Options{Metrics: NewMetrics(), Profiling: true})
	for _, path := range []string{"/readyz", "/healthz", "/livez"} {
		if status, text := get(t, bare+path); status != 200 || text != "ok" {
			t.Errorf("%s: %d %q", path, status, text)
		}
	}
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/cmdline"} {
		status, _ := get(t, bare+path)
		assert.Equal(t, 404, status, "without being asked for: %s", path)
		status, _ = get(t, all+path)
		assert.Equal(t, 200, status, path)
	}
}

func TestAnAddressThatCannotBe(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	addr := listener.Addr().String()
	_, err = Listen(Options{Addr: addr})
	assert.EqualError(t, err, "serve probes and metrics: "+addr+" is in use; choose another address, or port 0 for a free one")
	_, err = Listen(Options{Addr: "nonsense"})
	assert.ErrorContains(t, err, "; use an address of the form host:port")
}

// The end does not wait for an answer that takes long.
func TestTheEndCutsWhatTakesLong(t *testing.T) {
	begun := make(chan struct{})
	over := make(chan struct{})
	server, err := Listen(Options{Addr: "127.0.0.1:0", Ready: func() error { close(begun); <-over; return nil }})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended, asked := make(chan error, 1), make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	go func() {
		response, err := http.Get("http://" + server.Addr() + "/readyz")
		if err == nil {
			err = response.Body.Close()
		}
		asked <- err
	}()
	<-begun
	cancel()
	assert.NoError(t, <-ended, "the server ended")
	assert.Error(t, <-asked, "an answer came from a check that never ended")
	close(over)
}
