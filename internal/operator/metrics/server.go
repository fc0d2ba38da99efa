// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	requestTimeout = 10 * time.Second // of reading a request
	endTimeout     = 2 * time.Second  // of requests that go on when the server ends; then they are cut
	maxHeader      = 64 << 10
)

// Options says what is served, and where.
type Options struct {
	Addr      string       // host:port; port 0 is a free one
	Ready     func() error // nil: ready at once
	Live      func() error // nil: alive while it answers
	Metrics   *Metrics     // nil: no /metrics
	Profiling bool         // /debug/pprof, which shows what is in memory: it is for a port that no other user reaches
	Log       *slog.Logger
}

// Server serves the probes, and the rest that the options ask for.
type Server struct {
	listener net.Listener
	http     *http.Server
}

// Listen takes the address at once, so that one that is in use is an error at the start. The caller calls Serve.
func Listen(o Options) (*Server, error) {
	listener, err := net.Listen("tcp", o.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("serve probes and metrics: %s is in use; choose another address, or port 0 for a free one", o.Addr)
	}
	if err != nil {
		return nil, fmt.Errorf("serve probes and metrics: %w; use an address of the form host:port", err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{listener: listener, http: &http.Server{Handler: handler(o), ReadTimeout: requestTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug)}}, nil
}

// Addr is where it listens, with the port that it got.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Serve answers until ctx is done; what is being answered then may end within a short time.
func (s *Server) Serve(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(s.listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve probes and metrics on %s: %w", s.Addr(), err)
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	err := s.http.Shutdown(ending)
	if err != nil {
		err = s.http.Close() // a profile that takes half a minute is not waited for
	}
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

func handler(o Options) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", probe(o.Live))
	mux.Handle("GET /livez", probe(o.Live))
	mux.Handle("GET /readyz", probe(o.Ready))
	if o.Metrics != nil {
		mux.Handle("GET /metrics", promhttp.HandlerFor(o.Metrics.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	}
	if o.Profiling {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}

// probe answers as Kubernetes' own components do: "ok", or the reason.
func probe(check func() error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		text := "ok"
		if check != nil {
			if err := check(); err != nil {
				w.WriteHeader(http.StatusServiceUnavailable)
				text = err.Error()
			}
		}
		_, _ = fmt.Fprint(w, text) // the client may be gone, and then the error has no reader
	})
}
