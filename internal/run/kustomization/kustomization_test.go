// SPDX-License-Identifier: Apache-2.0

package kustomization_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/run/kustomization"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// Names, namespaces and patches hold, and all files are known.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	safefstest.WriteFiles(t, dir, map[string]string{
		"default/kustomization.yaml": "namespace: shop-system\nnamePrefix: shop-\nresources: [../rbac]\npatches:\n- path: patch.yaml\n  target: {kind: ServiceAccount}\n",
		"default/patch.yaml":         "- {op: add, path: /metadata/labels, value: {patched: 'yes'}}\n",
		"rbac/kustomization.yaml":    "resources: [account.yaml]\n",
		"rbac/account.yaml":          "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: manager, namespace: system}\n",
	})
	built, err := kustomization.Build(filepath.Join(dir, "default"))
	require.NoError(t, err)
	require.Len(t, built.Objects, 1)
	o := built.Objects[0]
	assert.Equal(t, []string{"ServiceAccount", "shop-system", "shop-manager", "yes"}, []string{o.GetKind(), o.GetNamespace(), o.GetName(), o.GetLabels()["patched"]})
	var read []string
	for _, f := range built.Files {
		rel, err := filepath.Rel(dir, f)
		require.NoError(t, err)
		read = append(read, filepath.ToSlash(rel))
	}
	assert.Equal(t, []string{"default/kustomization.yaml", "default/patch.yaml", "rbac/account.yaml", "rbac/kustomization.yaml"}, read)
	assert.Equal(t, filepath.Join(dir, "rbac", "kustomization.yaml"), kustomization.File(filepath.Join(dir, "rbac")))
	assert.Empty(t, kustomization.File(filepath.Join(dir, "rbac", "account.yaml")))
}

// What is on another machine is not asked for, in whatever field it is named.
func TestBuildDownloadsNothing(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = w.Write([]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"))
	}))
	defer server.Close()
	for name, content := range map[string]string{
		"a resource":         "resources: [" + server.URL + "/a.yaml]\n",
		"in capitals":        "resources: [HTTP" + server.URL[4:] + "/a.yaml]\n",
		"a resource as map":  "resources: ['" + server.URL + "/a: b']\n",
		"a component":        "components: [" + server.URL + "/a]\n",
		"a base":             "bases: [" + server.URL + "/a]\n",
		"a patch":            "resources: [a.yaml]\npatches: [{path: " + server.URL + "/a.yaml}]\n",
		"a strategic patch":  "resources: [a.yaml]\npatchesStrategicMerge: [" + server.URL + "/a.yaml]\n",
		"a CRD":              "crds: [" + server.URL + "/a.json]\n",
		"a transformer":      "resources: [a.yaml]\ntransformers: [" + server.URL + "/a.yaml]\n",
		"a file of a map":    "configMapGenerator: [{name: b, files: [" + server.URL + "/a]}]\n",
		"a file with a key":  "configMapGenerator: [{name: b, files: [x=" + server.URL + "/a]}]\n",
		"an environment":     "secretGenerator: [{name: b, envs: [" + server.URL + "/a]}]\n",
		"an OpenAPI schema":  "resources: [a.yaml]\nopenapi: {path: " + server.URL + "/a.json}\n",
		"a replacement":      "resources: [a.yaml]\nreplacements: [{path: " + server.URL + "/a.yaml}]\n",
		"a repository":       "resources: ['github.com/example/repository?ref=v1']\n",
		"by git's own words": "resources: ['git@" + "example.com:a/b.git']\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			safefstest.WriteFiles(t, dir, map[string]string{"kustomization.yaml": content, "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"})
			_, err := kustomization.Build(dir)
			require.ErrorContains(t, err, "downloads nothing")
			assert.Zero(t, asked, "requests")
		})
	}
	dir := t.TempDir()
	safefstest.WriteFiles(t, dir, map[string]string{
		"kustomization.yaml": "resources: [a.yaml]\ncommonAnnotations: {see: 'https://example.com/a'}\npatchesStrategicMerge:\n- |\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n  data: {x: y}\n",
		"a.yaml":             "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
	})
	built, err := kustomization.Build(dir)
	require.NoError(t, err, "a URL as a value, and a patch in place")
	assert.Len(t, built.Objects, 1)
}
