// SPDX-License-Identifier: Apache-2.0

// Package server serves a recording, or what runs, to a page in the user's browser: on 127.0.0.1, to those who have the
// token, and to read only. It answers with rows by range and with sums, never with all records. It does not judge what
// is recorded: package finding does, and package model knows how records belong together.
package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/web"
)

// Options say what is served.
type Options struct {
	Source trace.Source
	File   string // name of the recording that Source reads; empty if it is live
	Port   int    // on 127.0.0.1; 0 for a free one

	MaxRecords int           // that are held; 0 is a default
	Frame      time.Duration // the least time between two frames of the stream; 0 is 250 ms
}

const (
	dataPath          = "/data/"
	defaultMaxRecords = 300_000
	defaultFrame      = 250 * time.Millisecond
)

// A Server has a port and a token, and serves once Serve is called.
type Server struct {
	listener net.Listener
	http     *http.Server
	token    string
	session  *session
	source   trace.Source
}

// New takes the port. Serve or Close must be called.
func New(o Options) (*Server, error) {
	if o.MaxRecords == 0 {
		o.MaxRecords = defaultMaxRecords
	}
	if o.Frame == 0 {
		o.Frame = defaultFrame
	}
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("port %d is in use; choose another with --ui-port, or omit the flag for a free one", o.Port)
	}
	if err != nil {
		return nil, fmt.Errorf("listen for the page: %w", err)
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	s := &Server{listener: listener, token: hex.EncodeToString(secret), source: o.Source, session: newSession(o)}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	g := &guard{hosts: []string{"127.0.0.1:" + port, "localhost:" + port}, token: s.token}
	s.http = &http.Server{
		Handler:           g.wrap(assets(web.Files()), s.session.routes()),
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      time.Minute, // the stream extends its own
		IdleTimeout:       time.Minute,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // the terminal is for what the controller prints
		MaxHeaderBytes:    16 << 10,
	}
	return s, nil
}

// assets serves the page's files, and nothing that is not one of them.
func assets(files map[string]web.File) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", f.Type)
		_, _ = w.Write(f.Content)
	})
}

// URL is what the user opens: it has the token in its fragment, which browsers send to no server.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/#token=" + s.token }

// Serve serves until ctx ends.
func (s *Server) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.http.BaseContext = func(net.Listener) context.Context { return ctx } // streams end with it
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		s.session.feed(ctx, s.source)
	}()
	stop := context.AfterFunc(ctx, func() { _ = s.http.Close() })
	defer stop()
	err := s.http.Serve(s.listener)
	cancel()
	<-fed
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve the page: %w", err)
}

// Close gives the port back without serving.
func (s *Server) Close() error { return s.listener.Close() }
