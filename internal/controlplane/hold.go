// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// holdAtMost is how long a question for the health of a server that is coming up waits for a better answer.
const holdAtMost = 5 * time.Second

// holdUntilHealthy answers the first questions for the health of a server when it is healthy, rather than saying at once that it is not
// yet: those who ask would wait a tenth of a second before they ask again. Once it was healthy the answers are prompt, whatever they are.
func holdUntilHealthy(next http.Handler) http.Handler {
	var healthy atomic.Bool
	began := time.Now()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if healthy.Load() || r.Method != http.MethodGet || r.URL.Path != "/healthz" && r.URL.Path != "/readyz" {
			next.ServeHTTP(w, r)
			return
		}
		for end := began.Add(4 * holdAtMost); ; {
			a := &answer{header: http.Header{}}
			next.ServeHTTP(a, r)
			if a.code == http.StatusOK {
				healthy.Store(true)
			}
			if a.code != http.StatusInternalServerError || r.Context().Err() != nil || time.Now().After(end) {
				a.send(w)
				return
			}
			time.Sleep(pollInterval)
		}
	})
}

// answer keeps what a handler writes.
type answer struct {
	header http.Header
	code   int
	body   strings.Builder
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(code int) {
	if a.code == 0 {
		a.code = code
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

func (a *answer) send(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.code)
	_, _ = w.Write([]byte(a.body.String())) // the client may have gone
}
