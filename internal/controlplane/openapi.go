package controlplane

import (
	"net/http"
	"sync"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/server/routes"
	openapicommon "k8s.io/kube-openapi/pkg/common"
)

const openAPIV2Path = "/openapi/v2"

// serveOpenAPIV2 serves the OpenAPI v2 document of the built-in kinds from the first request for it on. The
// API server would build it before it is ready, which takes a sixth of the start, for a document that
// today's clients ask for only when version 3 is missing.
func serveOpenAPIV2(s *genericapiserver.GenericAPIServer, config *openapicommon.Config) {
	build := sync.OnceValue(func() http.Handler {
		m := mux.NewPathRecorderMux("openapi-v2")
		routes.OpenAPI{Config: config}.InstallV2(s.Handler.GoRestfulContainer, m)
		return m
	})
	s.Handler.NonGoRestfulMux.HandleFunc(openAPIV2Path, func(w http.ResponseWriter, r *http.Request) {
		build().ServeHTTP(w, r)
	})
}
