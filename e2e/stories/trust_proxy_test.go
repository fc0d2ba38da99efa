// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"net/http"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/e2e/internal/harness/faultproxy"
)

// proxy stands between a loop and the API server.
type proxy struct {
	*faultproxy.Proxy
	kubeconfig string // of the way through the proxy
}

func (r *trusted) proxy() *proxy {
	r.Helper()
	p := &proxy{kubeconfig: filepath.Join(r.dir, "through-proxy")}
	var err error
	p.Proxy, err = faultproxy.New(r.config, p.kubeconfig, false)
	r.check(err)
	r.Cleanup(func() { _ = p.Close() })
	return p
}

func isList(r *http.Request) bool {
	return r.Method == http.MethodGet && !faultproxy.IsWatch(r) && (strings.HasSuffix(r.URL.Path, "/things") || strings.HasSuffix(r.URL.Path, "/configmaps"))
}

func isWrite(r *http.Request) bool { return r.Method == http.MethodPatch }
