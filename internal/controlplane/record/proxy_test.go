// SPDX-License-Identifier: Apache-2.0

package record

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/trace"
)

// through sends requests for two pods through a proxy to a cluster, and returns what was recorded of them by name when the recorder is
// closed, which is after before has returned.
func through(t *testing.T, cluster, authorization string, code int, before func()) (all []*trace.Request, actors map[trace.ActorID]trace.Actor) {
	t.Helper()
	actors = map[trace.ActorID]trace.Actor{}
	s := &kept{Sink: discard{trace.NewDefs(func(d *trace.Def) {
		if d.Actor != nil {
			actors[d.Actor.ID] = *d.Actor
		}
	})}}
	r := New(Options{Sink: s}, "admin", "controller", "system")
	handler, err := r.Proxy(&rest.Config{Host: cluster}, "controller", "secret")
	require.NoError(t, err)
	proxy := httptest.NewServer(handler)
	defer proxy.Close()
	for _, name := range []string{"a", "b"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, proxy.URL+"/api/v1/namespaces/default/pods/"+name, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", authorization)
		answer, err := proxy.Client().Do(req)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, code, answer.StatusCode)
	}
	proxy.Close() // when its handlers have ended
	before()
	r.Close()
	for _, b := range s.bodies {
		if rec, ok := b.(*trace.Request); ok {
			all = append(all, rec)
		}
	}
	// A request is recorded after it was answered, so the second may be recorded first.
	slices.SortFunc(all, func(a, b *trace.Request) int { return cmp.Compare(a.Path+a.Name, b.Path+b.Name) })
	return all, actors
}

// Requests that do not get to the cluster have IDs, too: the page and the findings drop a request whose ID they have.
func TestRequestsThatFailInProxyDiffer(t *testing.T) {
	// Not a server that was closed: the proxy may listen on its port.
	aborts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.Contains(req.URL.Path, "/pods/") {
			panic(http.ErrAbortHandler)
		}
		http.NotFound(w, req)
	}))
	defer aborts.Close()
	all, _ := through(t, aborts.URL, "Bearer secret", http.StatusBadGateway, func() {})
	differ(t, all)
}

func differ(t *testing.T, all []*trace.Request) {
	t.Helper()
	require.Len(t, all, 2)
	assert.NotEmpty(t, all[0].ID)
	assert.NotEmpty(t, all[1].ID)
	assert.NotEqual(t, all[0].ID, all[1].ID)
}

// Requests without the token of the proxy are recorded, as an API server's own recorder does, and do not get to the cluster. Nor does the
// token that was sent get into the record.
func TestProxyRecordsWhatItRefuses(t *testing.T) {
	cluster := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		assert.NotContains(t, req.URL.Path, "/pods/")
	}))
	defer cluster.Close()
	for _, authorization := range []string{"", "Bearer another"} {
		all, actors := through(t, cluster.URL, authorization, http.StatusUnauthorized, func() {})
		differ(t, all)
		for i, path := range []string{"/api/v1/namespaces/default/pods/a", "/api/v1/namespaces/default/pods/b"} {
			assert.Equal(t, http.StatusUnauthorized, all[i].Code)
			assert.Equal(t, path, all[i].Path)
			assert.Equal(t, trace.Actor{ID: all[i].Actor, Name: "unauthenticated", Class: trace.ClassOther}, actors[all[i].Actor])
			line, err := (&trace.Record{Body: all[i]}).AppendJSON(nil)
			require.NoError(t, err)
			assert.NotContains(t, string(line), "another")
		}
	}
}

// An answer of the cluster that the proxy's credentials are not valid is recorded as that of the controller.
func TestProxyRecordsWhatTheClusterRefuses(t *testing.T) {
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "expired", http.StatusUnauthorized)
	}))
	defer cluster.Close()
	all, actors := through(t, cluster.URL, "Bearer secret", http.StatusUnauthorized, func() {})
	differ(t, all)
	assert.Equal(t, http.StatusUnauthorized, all[0].Code)
	assert.Equal(t, "a", all[0].Name)
	assert.Equal(t, trace.ClassController, actors[all[0].Actor].Class)
}

// The kinds of a cluster are not waited for long: what is to be recorded waits meanwhile.
func TestProxyAsksForKindsBriefly(t *testing.T) {
	var timeout atomic.Value
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/api/v1" {
			timeout.Store(req.URL.Query().Get("timeout"))
		}
		http.NotFound(w, req)
	}))
	defer cluster.Close()
	asked := func() { // a recorder that is closed asks for nothing
		require.Eventually(t, func() bool { return timeout.Load() != nil }, time.Minute, time.Millisecond)
	}
	all, _ := through(t, cluster.URL, "Bearer secret", http.StatusNotFound, asked)
	require.Len(t, all, 2)
	assert.Equal(t, "2s", timeout.Load())
}

// A watch whose connection to the cluster breaks did not end because of its timeout.
func TestProxyRecordsBrokenWatches(t *testing.T) {
	for broken, want := range map[bool]string{true: "error", false: "timeout"} {
		cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Query().Get("watch") == "" {
				http.NotFound(w, req)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, err := w.Write([]byte(`{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"5"}}}` + "\n"))
			assert.NoError(t, err)
			assert.NoError(t, http.NewResponseController(w).Flush())
			if broken {
				panic(http.ErrAbortHandler)
			}
		}))
		s := &kept{Sink: discard{trace.NewDefs(func(*trace.Def) {})}}
		r := New(Options{Sink: s}, "admin", "controller", "system")
		handler, err := r.Proxy(&rest.Config{Host: cluster.URL}, "controller", "secret")
		require.NoError(t, err)
		proxy := httptest.NewServer(handler)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, proxy.URL+"/api/v1/namespaces/default/pods?watch=1", nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer secret")
		answer, err := proxy.Client().Do(req)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, answer.Body)
		assert.Equal(t, broken, err != nil, "%v", err)
		require.NoError(t, answer.Body.Close())
		proxy.Close()
		r.Close()
		cluster.Close()
		end := ""
		for _, b := range s.bodies {
			if w, ok := b.(*trace.Watch); ok && w.State == "end" {
				end = w.End
			}
		}
		assert.Equal(t, want, end)
	}
}
