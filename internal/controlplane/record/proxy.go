// SPDX-License-Identifier: Apache-2.0

package record

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// Proxy returns a handler that hands requests with the token on to a cluster that exists, with the credentials of upstream, and has them
// recorded, and those without it, which it refuses. as is the user that requests are recorded under; the credentials stay here. It sees what
// passes: not what others send, nor what admission does.
// The recorder is started.
func (r *Recorder) Proxy(upstream *rest.Config, as, token string) (http.Handler, error) {
	asking := rest.AddUserAgent(rest.CopyConfig(upstream), Agent)
	asking.Timeout = askTimeout
	kinds, err := discovery.NewDiscoveryClientForConfig(asking)
	if err != nil {
		return nil, fmt.Errorf("make a client for the proxy: %w", err)
	}
	upstream = rest.CopyConfig(upstream)
	upstream.NextProtos = []string{"http/1.1"} // HTTP/2 has no upgrades, which exec and port-forward need
	transport, err := rest.TransportFor(upstream)
	if err != nil {
		return nil, fmt.Errorf("make a transport for the proxy: %w", err)
	}
	base, _, err := rest.DefaultServerUrlFor(upstream)
	if err != nil {
		return nil, fmt.Errorf("read the URL of the cluster: %w", err)
	}
	proxy := &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1, // as watches need it
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(base)
			p.Out.Header.Del("Authorization") // or the transport would set none
		},
		ModifyResponse: func(answer *http.Response) error {
			if answer.Header.Get(auditID) == "" {
				answer.Header.Set(auditID, rand.Text())
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			w.Header().Set(auditID, rand.Text()) // requests are told apart by it
			http.Error(w, err.Error(), http.StatusBadGateway)
		},
		ErrorLog: log.New(io.Discard, "", 0), //nolint:forbidigo // it prints nothing: the client has the error
	}
	r.Start(kinds)
	info := &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	inside := r.Inside(proxy)
	bearer := []byte("Bearer " + token)
	return r.Follow(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if subtle.ConstantTimeCompare([]byte(req.Header.Get("Authorization")), bearer) != 1 {
			w.Header().Set(auditID, rand.Text())
			http.Error(w, "this proxy requires the token of the kubeconfig that crdctl wrote for it", http.StatusUnauthorized)
			return
		}
		ctx := request.WithUser(req.Context(), &user.DefaultInfo{Name: as})
		if what, err := info.NewRequestInfo(req); err == nil { // the cluster judges what is not valid
			ctx = request.WithRequestInfo(ctx, what)
		}
		inside.ServeHTTP(w, req.WithContext(ctx))
	})), nil
}

const auditID = "Audit-ID"
