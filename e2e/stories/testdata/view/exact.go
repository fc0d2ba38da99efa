// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"strconv"
	"sync/atomic"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/controller"
)

// reconcileIDs has each request of a reconcile name it, in the audit ID that the API server then takes.
type reconcileIDs struct {
	next http.RoundTripper
	sent atomic.Uint64
}

// withReconcileIDs returns the configuration for ctrl.NewManager.
func withReconcileIDs(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &reconcileIDs{next: next} })
	return config
}

func (r *reconcileIDs) RoundTrip(request *http.Request) (*http.Response, error) {
	if id := controller.ReconcileIDFromContext(request.Context()); id != "" {
		request = request.Clone(request.Context())
		request.Header.Set("Audit-ID", string(id)+"."+strconv.FormatUint(r.sent.Add(1), 36))
	}
	return r.next.RoundTrip(request)
}
