// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// newTestProxy is a proxy in front of a server that answers with the client's credential and never ends a watch.
func newTestProxy(t *testing.T, withTLS bool) (*Proxy, func(verb string) error, func() (io.ReadCloser, error)) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"), "the proxy's credential")
		if IsWatch(r) {
			_, _ = io.WriteString(w, "event\n") // the client may be gone
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	p, err := New(&rest.Config{Host: server.URL, BearerToken: "secret"}, kubeconfig, withTLS)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() }) // it may be closed
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	require.NoError(t, err)
	config.QPS = -1
	clients, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	client := clients.Discovery().RESTClient()
	ask := func(verb string) error {
		return client.Verb(verb).AbsPath("/x").MaxRetries(0).Do(context.Background()).Error()
	}
	watch := func() (io.ReadCloser, error) {
		return client.Get().AbsPath("/x").Param("watch", "true").MaxRetries(0).Stream(t.Context())
	}
	return p, ask, watch
}

// Faults happen as often as they should, to the requests that match only.
func TestFaults(t *testing.T) {
	for _, withTLS := range []bool{true, false} {
		p, ask, _ := newTestProxy(t, withTLS)
		for name, fault := range map[string]struct {
			answer http.HandlerFunc
			is     func(error) bool
		}{
			"409":     {Refuse(http.StatusConflict, metav1.StatusReasonConflict), apierrors.IsConflict},
			"429":     {Refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests), apierrors.IsTooManyRequests},
			"lost":    {p.Lose, func(err error) bool { return !errors.As(err, new(apierrors.APIStatus)) }},
			"hang up": {HangUp, func(err error) bool { return !errors.As(err, new(apierrors.APIStatus)) }},
		} {
			f := p.Inject(2, IsWrite, fault.answer)
			for n, verb := range []string{http.MethodGet, http.MethodPatch, http.MethodPatch, http.MethodPatch} {
				if err := ask(verb); (err != nil) != (n == 1 || n == 2) || err != nil && !fault.is(err) {
					t.Errorf("%s, request %d: %v", name, n, err)
				}
			}
			assert.Equal(t, 2, f.Count(), name)
			f.End()
		}
	}
}

func TestEndWatches(t *testing.T) {
	p, _, watch := newTestProxy(t, true)
	for _, end := range []End{{}, {Clean: true}, {Clean: true, Last: "gone\n"}} {
		body, err := watch()
		require.NoError(t, err)
		_, err = io.ReadFull(body, make([]byte, len("event\n")))
		assert.NoError(t, err)
		assert.Equal(t, 1, p.EndWatches(end))
		rest, err := io.ReadAll(body)
		assert.Equal(t, end.Clean, err == nil, "%v", err)
		assert.Equal(t, end.Last, string(rest))
		_ = body.Close() // it may be broken
	}
}

func TestClose(t *testing.T) {
	p, ask, _ := newTestProxy(t, true)
	require.NoError(t, p.Close())
	require.ErrorIs(t, ask(http.MethodGet), syscall.ECONNREFUSED)
	require.NoError(t, p.Open())
	assert.NoError(t, ask(http.MethodGet))
}
