// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/ui"
)

// crdWith is a CRD of things in versions.
func crdWith(versions ...apiextv1.CustomResourceDefinitionVersion) *apiextv1.CustomResourceDefinition {
	crd := &apiextv1.CustomResourceDefinition{Spec: apiextv1.CustomResourceDefinitionSpec{
		Group: "example.com", Names: apiextv1.CustomResourceDefinitionNames{Plural: "things"}, Versions: versions,
	}}
	crd.Name = "things.example.com"
	return crd
}

// answering is a target whose API server answers with a status, and with a CRD or a list of one object; asked are the paths.
func answering(t *testing.T, status int) (_ *API, asked *[]string) {
	t.Helper()
	asked = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		switch {
		case status == http.StatusOK && path.Base(path.Dir(r.URL.Path)) == "customresourcedefinitions":
			_, _ = io.WriteString(w, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"}}`)
		case status == http.StatusOK:
			_, _ = io.WriteString(w, `{"apiVersion":"example.com/v1","kind":"ThingList","metadata":{},"items":[{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"}}]}`)
		}
	}))
	t.Cleanup(server.Close)
	return &API{Config: &rest.Config{Host: server.URL}}, asked
}

// Stored objects are read in the storage version, or in another one if that is not served.
func TestStored(t *testing.T) {
	type version = apiextv1.CustomResourceDefinitionVersion
	for name, test := range map[string]struct {
		versions []version
		path     string
	}{
		"the storage version": {[]version{{Name: "v1", Served: true}, {Name: "v2", Served: true, Storage: true}}, "/apis/example.com/v2/things"},
		"one that is served":  {[]version{{Name: "v1", Served: true}, {Name: "v2", Storage: true}}, "/apis/example.com/v1/things"},
		"none is served":      {[]version{{Name: "v1", Storage: true}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			target, asked := answering(t, http.StatusOK)
			n, err := target.Count(t.Context(), crdWith(test.versions...))
			want := 1
			if test.path == "" {
				want = 0
			}
			if err != nil || n != want || len(*asked) != want || want > 0 && (*asked)[0] != test.path {
				t.Errorf("%d objects, asked for %v, error %v; want %s", n, *asked, err, test.path)
			}
		})
	}
	served := crdWith(version{Name: "v1", Served: true, Storage: true})
	target, _ := answering(t, http.StatusNotFound)
	if n, err := target.Count(t.Context(), served); err != nil || n > 0 {
		t.Errorf("of a CRD that is not established: %v, %v", n, err)
	}
	target, _ = answering(t, http.StatusForbidden)
	_, err := target.Count(t.Context(), served)
	assert.Error(t, err, "no error, and what is stored is not known")
}

// Only an API server that knows a CRD has it installed; one that does not answer is an error, not a no.
func TestInstalled(t *testing.T) {
	crds := []manifest.CRD{{CustomResourceDefinition: crdWith()}}
	for status, want := range map[int]bool{http.StatusOK: true, http.StatusNotFound: false} {
		target, _ := answering(t, status)
		if got, err := target.Installed(t.Context(), crds); err != nil || got != want {
			t.Errorf("%d: %v, %v", status, got, err)
		}
	}
	target, _ := answering(t, http.StatusForbidden)
	_, err := target.Installed(t.Context(), crds)
	assert.Error(t, err, "no error of a request that was refused")
}

// A run points conversion webhooks to another port each time: that alone is not a change of a CRD.
func TestSameButConversion(t *testing.T) {
	a, b := crdWith(apiextv1.CustomResourceDefinitionVersion{Name: "v1"}), crdWith(apiextv1.CustomResourceDefinitionVersion{Name: "v1"})
	b.Spec.Conversion = &apiextv1.CustomResourceConversion{Strategy: apiextv1.WebhookConverter}
	if !sameButConversion(a, b) || a.Spec.Conversion != nil || b.Spec.Conversion == nil {
		t.Error("another conversion is a change, or an argument was changed")
	}
	b.Spec.Versions[0].Served = true
	assert.False(t, sameButConversion(a, b), "another version is no change")
}

// A server that cannot be reached is one error, however many CRDs there are.
func TestPreflightOfNoServer(t *testing.T) {
	api, _ := answering(t, http.StatusOK)
	api.Config.Host = "https://127.0.0.1:1"
	crd := manifest.CRD{CustomResourceDefinition: crdWith(), File: "crd.yaml", Line: 3}
	err := api.preflight(t.Context(), []manifest.CRD{crd, crd, crd}, ui.NewReporter(io.Discard))
	require.ErrorContains(t, err, "cannot reach the API server")
	assert.Equal(t, 1, strings.Count(err.Error(), "cannot reach"), err)
}

// A build that cannot tell what a changed CRD does to stored objects does not install it over any.
func TestUnknownRefuses(t *testing.T) {
	api, crd := &API{}, manifest.CRD{CustomResourceDefinition: crdWith(), File: "crd.yaml", Line: 3}
	require.NoError(t, api.unknown(crd, 0))
	assert.EqualError(t, api.unknown(crd, 1), "crd.yaml:3: not installed: the new things.example.com may break stored objects, "+
		"and only the full build of crdctl can check that; use that build, or install it yourself and run with --skip-crds")
}

// Objects are handed out one after the other. What the comparison says of one is not an error of the list.
func TestBrokenTellsWhatWasNotRead(t *testing.T) {
	crd := crdWith(apiextv1.CustomResourceDefinitionVersion{Name: "v1", Served: true, Storage: true})
	target, _ := answering(t, http.StatusOK)
	wrong := errors.New("wrong")
	target.Compare = func(_ context.Context, _, _ *apiextv1.CustomResourceDefinition, stored Stored) (findings string, err error) {
		return "", stored(func(u *unstructured.Unstructured) error { return fmt.Errorf("%s: %w", u.GetName(), wrong) })
	}
	_, unread, err := target.broken(t.Context(), manifest.CRD{}, crd, crd)
	require.NoError(t, unread)
	require.EqualError(t, err, "a: wrong")

	refusing, _ := answering(t, http.StatusForbidden)
	target.Config = refusing.Config
	_, unread, err = target.broken(t.Context(), manifest.CRD{}, crd, crd)
	require.ErrorContains(t, unread, "list the objects of things.example.com")
	assert.ErrorIs(t, err, unread)
}
