package composite

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// A child that could not be deleted is an error, whatever the reason: without one nobody would look again. One that has gone is none.
func TestRemove(t *testing.T) {
	for code, failed := range map[int]bool{http.StatusOK: false, http.StatusNotFound: false, http.StatusConflict: true, http.StatusForbidden: true} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_ = json.NewEncoder(w).Encode(apierrors.NewGenericServerResponse(code, "delete", schema.GroupResource{Resource: "configmaps"}, "c", "", 0, false).ErrStatus)
		}))
		client, err := rest.UnversionedRESTClientFor(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{NegotiatedSerializer: scheme.Codecs.WithoutConversion()}})
		if err != nil {
			t.Fatal(err)
		}
		child, err := object.Decode([]byte(`{"metadata":{"name":"c","namespace":"default","uid":"1"}}`), &object.Form{APIVersion: "v1", Kind: "ConfigMap"})
		if err != nil {
			t.Fatal(err)
		}
		r := &reconciler{Options: Options{Name: "x"}, log: slog.New(slog.DiscardHandler), writer: newWriter(client, "x"), memory: newApplied()}
		kind := &children{Served: Served{Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Kind: "ConfigMap", Namespaced: true}}
		if err := r.remove(t.Context(), child, observed{kind: kind, object: child}); (err != nil) != failed || apierrors.IsConflict(err) != (code == http.StatusConflict) {
			t.Errorf("%d: %v", code, err)
		}
		server.Close()
	}
}
