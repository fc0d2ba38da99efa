package metrics

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// serving is a server on a free port, which ends with the test.
func serving(t *testing.T, o Options) string {
	t.Helper()
	o.Addr = "127.0.0.1:0"
	server, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
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

// What was not asked for is not there; what has no check is fine.
func TestOnlyWhatWasAskedFor(t *testing.T) {
	bare, all := serving(t, Options{}), serving(t, Options{Metrics: NewMetrics(), Profiling: true})
	for _, path := range []string{"/readyz", "/healthz", "/livez"} {
		if status, text := get(t, bare+path); status != 200 || text != "ok" {
			t.Errorf("%s: %d %q", path, status, text)
		}
	}
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/cmdline"} {
		if status, _ := get(t, bare+path); status != 404 {
			t.Errorf("without being asked for: %s: %d", path, status)
		}
		if status, _ := get(t, all+path); status != 200 {
			t.Errorf("%s: %d", path, status)
		}
	}
}

func TestAnAddressThatCannotBe(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	addr := listener.Addr().String()
	_, err = Listen(Options{Addr: addr})
	if want := "serve probes and metrics: " + addr + " is in use; choose another address, or port 0 for a free one"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if _, err = Listen(Options{Addr: "nonsense"}); err == nil || !strings.HasSuffix(err.Error(), "; give an address as host:port") {
		t.Errorf("got %v", err)
	}
}

// The end does not wait for an answer that takes long.
func TestTheEndCutsWhatTakesLong(t *testing.T) {
	begun := make(chan struct{})
	over := make(chan struct{})
	server, err := Listen(Options{Addr: "127.0.0.1:0", Ready: func() error { close(begun); <-over; return nil }})
	if err != nil {
		t.Fatal(err)
	}
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
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if err := <-asked; err == nil {
		t.Error("an answer came from a check that never ended")
	}
	close(over)
}
