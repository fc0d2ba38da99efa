// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/check/cluster"
)

const definition = `{"kind": "CustomResourceDefinition", "metadata": {"name": "crontabs.example.com"}, "spec": {"group": "example.com", "names": {"plural": "crontabs"}, "versions": [
	{"name": "v1beta1", "served": true}, {"name": "v1", "served": true, "storage": true}, {"name": "v2", "served": false}]}}`

// open is a cluster that answers paths with their queries.
func open(t *testing.T, answers map[string]string) *cluster.Cluster {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, http.MethodGet, r.Method)
		answer, ok := answers[r.URL.RequestURI()]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		if answer == "" {
			w.WriteHeader(http.StatusForbidden)
			answer = `{"kind": "Status", "message": "crontabs.example.com is forbidden: User \"me\" cannot list it"}`
		}
		_, _ = fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	kubeconfig := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(kubeconfig, fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Config", "clusters": [{"name": "c", "cluster": {"server": "%s/base"}}], "users": [{"name": "u", "user": {}}],
		"contexts": [{"name": "mine", "context": {"cluster": "c", "user": "u"}}], "current-context": "mine"}`, server.URL), 0o600))
	c, err := cluster.Open(kubeconfig, "")
	require.NoError(t, err)
	assert.Equal(t, "mine", c.Name)
	_, err = cluster.Open(kubeconfig, "other")
	require.ErrorContains(t, err, `context "other" does not exist`)
	return c
}

// All pages of the stored version are read, and what is missing is told from what may not be read.
func TestCluster(t *testing.T) {
	const list = "/base/apis/example.com/v1/crontabs?"
	page := func(name, next string) string {
		return fmt.Sprintf(`{"apiVersion": "example.com/v1", "kind": "CronTabList", "metadata": {"continue": %q}, "items": [{"apiVersion": "example.com/v1", "kind": "CronTab", "metadata": {"name": %q}}]}`, next, name)
	}
	c := open(t, map[string]string{
		"/base/apis/apiextensions.k8s.io/v1/customresourcedefinitions/crontabs.example.com": definition,
		list + "limit=500":              page("a", "x y"),
		list + "continue=x+y&limit=500": page("b", ""),
		"/base/apis/apiextensions.k8s.io/v1/customresourcedefinitions/secret.example.com": "",
	})
	data, err := c.CRD(t.Context(), "crontabs.example.com")
	require.NoError(t, err)
	crd := &apiextv1.CustomResourceDefinition{}
	require.NoError(t, json.Unmarshal(data, crd))
	objects, err := c.Objects(t.Context(), crd)
	require.NoError(t, err)
	require.Len(t, objects, 2)
	assert.Equal(t, "b", objects[1].GetName())
	data, err = c.CRD(t.Context(), "new.example.com")
	require.NoError(t, err)
	assert.Nil(t, data)
	_, err = c.CRD(t.Context(), "secret.example.com")
	require.ErrorContains(t, err, `context mine: crontabs.example.com is forbidden: User "me" cannot list it; use a context that may`)
}
