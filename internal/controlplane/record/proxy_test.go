// SPDX-License-Identifier: Apache-2.0

package record

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/trace"
)

// through sends requests for two pods through a proxy to a cluster, and returns what was recorded of them when the recorder is closed,
// which is after before has returned.
func through(t *testing.T, cluster string, code int, before func()) (ids []string) {
	t.Helper()
	s := &kept{Sink: discard{trace.NewDefs(func(*trace.Def) {})}}
	r := New(Options{Sink: s}, "admin", "controller", "system")
	handler, err := r.Proxy(&rest.Config{Host: cluster}, "controller", "secret")
	require.NoError(t, err)
	proxy := httptest.NewServer(handler)
	defer proxy.Close()
	for _, name := range []string{"a", "b"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, proxy.URL+"/api/v1/namespaces/default/pods/"+name, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer secret")
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
			ids = append(ids, rec.ID)
		}
	}
	return ids
}

// Requests that do not get to the cluster have IDs, too: the page and the findings drop a request whose ID they have.
func TestRequestsThatFailInProxyDiffer(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	ids := through(t, gone.URL, http.StatusBadGateway, func() {})
	require.Len(t, ids, 2)
	assert.NotEmpty(t, ids[0])
	assert.NotEmpty(t, ids[1])
	assert.NotEqual(t, ids[0], ids[1])
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
	require.Len(t, through(t, cluster.URL, http.StatusNotFound, asked), 2)
	assert.Equal(t, "2s", timeout.Load())
}
