// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/controlplane/daemon"
	"github.com/crdctl/crdctl/internal/trace"
)

// offer serves what is recorded on 127.0.0.1, to those who have the token, until the function that it returns is called. It is for runs whose
// API server has not all of it: what a controller does is then recorded here, and requests there.
func (r *recording) offer() (*daemon.Recording, func(), error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, nil, fmt.Errorf("listen for \"crdctl view\": %w", err)
	}
	token := rand.Text()
	r.hide(token)
	authorization := []byte("Bearer " + token)
	ctx, cancel := context.WithCancel(context.Background())
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			switch {
			case subtle.ConstantTimeCompare([]byte(request.Header.Get("Authorization")), authorization) != 1:
				http.Error(w, "the token is missing or that of another run", http.StatusUnauthorized)
			case request.URL.Path != trace.Path:
				http.NotFound(w, request)
			default:
				trace.Handler(r.Recorder).ServeHTTP(w, request)
			}
		}),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx }, // who follows is cut off at the end
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // it ends when the server is closed
	return &daemon.Recording{URL: "http://" + listener.Addr().String(), Token: token}, func() {
		cancel()
		_ = server.Close()
		serving.Wait()
	}, nil
}
