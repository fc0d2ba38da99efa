// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/cluster"
	"github.com/crdctl/crdctl/internal/check/compat"
	"github.com/crdctl/crdctl/internal/check/project"
)

const definition = `{"kind": "CustomResourceDefinition", "metadata": {"name": "crontabs.example.com"}, "spec": {"group": "example.com", "names": {"plural": "crontabs"}, "versions": [
	{"name": "v1beta1", "served": true}, {"name": "v1", "served": true, "storage": true}, {"name": "v2", "served": false}]}}`

// open is a cluster that answers paths with their queries.
func open(t *testing.T, answers map[string]string) *cluster.Cluster {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, http.MethodGet, r.Method)
		answer, ok := answers[r.URL.RequestURI()]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		if strings.Contains(answer, "Expired") {
			w.WriteHeader(http.StatusGone)
		}
		if answer == "" {
			w.WriteHeader(http.StatusForbidden)
			answer = `{"kind": "Status", "message": "crontabs.example.com is forbidden: User \"me\" cannot list it"}`
		}
		_, _ = fmt.Fprint(w, answer)
	})
}

// serve is a cluster whose API server is a function.
func serve(t *testing.T, answer http.HandlerFunc) *cluster.Cluster {
	t.Helper()
	server := httptest.NewServer(answer)
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

// All pages of the stored version are read, also where one expires or is too large, and what is missing is told from what may not be read.
func TestCluster(t *testing.T) {
	const list = "/base/apis/example.com/v1/crontabs?"
	page := func(name, next string) string {
		return fmt.Sprintf(`{"apiVersion": "example.com/v1", "kind": "CronTabList", "metadata": {"continue": %q}, "items": [{"apiVersion": "example.com/v1", "kind": "CronTab", "metadata": {"name": %q}}]}`, next, name)
	}
	c := open(t, map[string]string{
		"/base/apis/apiextensions.k8s.io/v1/customresourcedefinitions/crontabs.example.com": definition,
		list + "limit=500":              page("a", "x y"),
		list + "continue=x+y&limit=500": `{"kind": "Status", "reason": "Expired", "metadata": {"continue": "z"}}`,
		list + "continue=z&limit=500":   strings.Repeat(" ", 64<<20) + page("b", ""),
		list + "continue=z&limit=250":   page("b", "end"),
		list + "continue=end&limit=250": page("c", ""),
		"/base/apis/apiextensions.k8s.io/v1/customresourcedefinitions/secret.example.com": "",
	})
	data, err := c.CRD(t.Context(), "crontabs.example.com")
	require.NoError(t, err)
	crd := &apiextv1.CustomResourceDefinition{}
	require.NoError(t, json.Unmarshal(data, crd))
	var names []string
	each := func(page []unstructured.Unstructured) error {
		require.Len(t, page, 1)
		names = append(names, page[0].GetName())
		return nil
	}
	require.NoError(t, c.Objects(t.Context(), crd, each))
	assert.Equal(t, []string{"a", "b", "c"}, names)
	data, err = c.CRD(t.Context(), "new.example.com")
	require.NoError(t, err)
	assert.Nil(t, data)
	_, err = c.CRD(t.Context(), "secret.example.com")
	require.ErrorContains(t, err, `context mine: crontabs.example.com is forbidden: User "me" cannot list it; use a context that may`)
}

// However many objects there are, no more than a page of them is held while they are tried.
func TestPagesAreNotHeld(t *testing.T) {
	const objects, size = 3000, 16 << 10
	crd := func(schema string) *project.CRD { return checktest.CRD(t, schema) }
	stored := crd("{type: object, properties: {text: {type: string}}}")
	definition, err := json.Marshal(stored.CustomResourceDefinition)
	require.NoError(t, err)
	text := strings.Repeat("x", size)
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var atFirst, most uint64
	served := 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "customresourcedefinitions") {
			_, _ = w.Write(definition)
			return
		}
		limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if !assert.NoError(t, err) {
			return
		}
		if now := held(); served == 0 {
			atFirst = now
		} else {
			most = max(most, now)
		}
		next := strconv.Itoa(served + limit)
		if served+limit >= objects {
			next = ""
		}
		_, _ = fmt.Fprintf(w, `{"apiVersion": "stable.example.com/v1", "kind": "CronTabList", "metadata": {"continue": %q}, "items": [`, next)
		for i := range limit {
			if i > 0 {
				_, _ = fmt.Fprint(w, ",")
			}
			_, _ = fmt.Fprintf(w, `{"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"namespace": "default", "name": "o%d"}, "spec": {"text": %q}}`, served+i, text)
		}
		_, _ = fmt.Fprint(w, "]}")
		served += limit
	})
	changed := &project.Project{CRDs: []*project.CRD{crd("{type: object, properties: {text: {type: string, maxLength: 10}}}")}}
	r, err := compat.CheckLive(t.Context(), changed, c, c.Name)
	require.NoError(t, err)
	assert.Equal(t, objects, served)
	assert.Equal(t, "1 CRD against the cluster of context mine, with 3000 objects", r.Judged)
	require.Len(t, r.Findings, 1)
	assert.Contains(t, r.Findings[0].Message, "objects at hand that are invalid: 3000 of 3000: default/o0, default/o1, default/o10, default/o100, default/o101 and 2995 more")
	const page = 500 * size
	assert.Less(t, int64(most)-int64(atFirst), int64(3*page), "of %d that all objects have", objects*size)
}
