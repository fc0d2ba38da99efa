// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/server/routes"
	openapicommon "k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/handler3"
)

const (
	openAPIV2Path = "/openapi/v2"
	openAPIV3Path = "/openapi/v3"
)

// lazyOpenAPI are the OpenAPI documents of the built-in kinds, made from the first request for one of them on. The API server would make
// them before it is ready, which takes a third of the start.
type lazyOpenAPI struct {
	v2 *openapicommon.Config
	v3 *openapicommon.OpenAPIV3Config
	// start marks the addresses of the documents of version 3 as those of this start, where upstream has a hash of their content, which it
	// makes all of them for: a client may keep what it got from an address.
	start string
}

// postponeOpenAPI keeps the server that config is of from making its documents.
func postponeOpenAPI(config *genericapiserver.Config) lazyOpenAPI {
	config.SkipOpenAPIInstallation = true
	return lazyOpenAPI{v2: config.OpenAPIConfig, v3: config.OpenAPIV3Config, start: rand.Text()}
}

// serve serves the documents instead of the server's own.
func (l lazyOpenAPI) serve(s *genericapiserver.GenericAPIServer) {
	v2 := sync.OnceValue(func() http.Handler {
		m := mux.NewPathRecorderMux("openapi-v2")
		routes.OpenAPI{Config: l.v2}.InstallV2(s.Handler.GoRestfulContainer, m)
		return m
	})
	v3 := sync.OnceValue(func() http.Handler {
		m := mux.NewPathRecorderMux("openapi-v3")
		routes.OpenAPI{V3Config: l.v3}.InstallV3(s.Handler.GoRestfulContainer, m)
		return m
	})
	own := s.Handler.NonGoRestfulMux
	own.HandleFunc(openAPIV2Path, func(w http.ResponseWriter, r *http.Request) { v2().ServeHTTP(w, r) })
	own.HandleFunc(openAPIV3Path, func(w http.ResponseWriter, _ *http.Request) { l.list(w, s) })
	own.HandlePrefix(openAPIV3Path+"/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.RawQuery = "" // what it was not asked for by its hash, it does not send elsewhere
		v3().ServeHTTP(w, r)
	}))
}

// list answers which documents of version 3 there are. The aggregator asks once a second, so nothing is made for it.
func (l lazyOpenAPI) list(w http.ResponseWriter, s *genericapiserver.GenericAPIServer) {
	all := handler3.OpenAPIV3Discovery{Paths: map[string]handler3.OpenAPIV3DiscoveryGroupVersion{}}
	for _, service := range s.Handler.GoRestfulContainer.RegisteredWebServices() {
		name := strings.TrimPrefix(service.RootPath(), "/")
		all.Paths[name] = handler3.OpenAPIV3DiscoveryGroupVersion{ServerRelativeURL: openAPIV3Path + "/" + name + "?hash=" + l.start}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all) // the client may have gone
}
