// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/compat"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// Of packages that are gone, those count that others could import for their API types. One that went with its version has the finding of that.
func TestGonePackages(t *testing.T) {
	const (
		kept = `
-- go.mod --
module example.com/m
-- api/v1/types.go --
// +groupName=stable.example.com
package v1

type CronTab struct{}
-- crds/crontabs.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {kind: CronTab, plural: crontabs}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`
		gone = `
-- shared/v1/doc.go --
package v1
-- shared/v1/types.go --
// +groupName=shared.example.com
package v1

type Reference struct{}
-- moved/v1/types.go --
// +groupName=moved.example.com
package v1

type Reference struct{}
-- api/v1beta1/types.go --
// +groupName=stable.example.com
package v1beta1

type CronTab struct{}
-- internal/api/v1/types.go --
// +groupName=internal.example.com
package v1

type CronTab struct{}
-- pkg/util/util.go --
package util

type Set struct{}
`
	)
	lay := func(text string) string {
		root := t.TempDir()
		for _, f := range txtar.Parse([]byte(text)).Files {
			file := filepath.Join(root, filepath.FromSlash(f.Name))
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, f.Data, 0o600))
		}
		return root
	}
	beta := strings.Replace(kept, "  versions:\n", "  versions:\n  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n", 1)
	beta = strings.Replace(beta, "  scope:", "  preserveUnknownFields: true\n  scope:", 1)
	base, err := revision.OpenPath("", lay(beta+gone))
	require.NoError(t, err)
	defer func() { require.NoError(t, base.Close()) }()
	now, err := project.Open(lay(kept+"-- moved/v1/zz_generated.types.go --\npackage v1\n"), &config.Project{CRDs: config.CRDs{Dir: "crds"}})
	require.NoError(t, err)
	r, err := compat.Check(t.Context(), now, compat.Options{Base: base})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"crds/crontabs.yaml:4:1: additional-closed: preserveUnknownFields of CronTab is no longer set: fields that the schema does not know are no longer kept",
		"crds/crontabs.yaml:8:3: served-removed: the version v1beta1 was removed, which was served",
		"shared/v1/doc.go:1: go-package-removed: the Go package shared/v1 was removed",
	}, checktest.Lines(r.Findings))

	// The fix names the manifest, unless that is generated.
	manifest := kept[strings.Index(kept, "-- crds/"):]
	for files, want := range map[string][]string{
		manifest: {"Keep additionalProperties or ", `Keep the version with "served: true" and "deprecated: true", `},
		kept:     {"Keep the marker +kubebuilder:pruning:PreserveUnknownFields", "mark it with +kubebuilder:deprecatedversion, "},
	} {
		now, err := project.Open(lay(files), &config.Project{CRDs: config.CRDs{Dir: "crds"}})
		require.NoError(t, err)
		r, err := compat.Check(t.Context(), now, compat.Options{Base: base})
		require.NoError(t, err)
		for i := range want {
			assert.Contains(t, r.Findings[i].Hint(), want[i])
		}
	}
}

// A CRD that went is found in a directory that has a copy of it in another file as well, which is read first.
func TestGoneCRDWithCopy(t *testing.T) {
	crd := func(plural string) string {
		return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: " + plural + ".example.com}\n" +
			"spec: {group: example.com, scope: Cluster, names: {kind: K, plural: " + plural + "}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n"
	}
	lay := func(files map[string]string) string {
		root := t.TempDir()
		safefstest.WriteFiles(t, root, files)
		return root
	}
	p, err := project.Open(lay(map[string]string{"crds/a.yaml": crd("as")}), &config.Project{CRDs: config.CRDs{Dir: "crds"}})
	require.NoError(t, err)
	base, err := revision.OpenPath("", lay(map[string]string{"crds/a.yaml": crd("as"), "crds/b.yaml": crd("bs"), "all.yaml": crd("as") + "---\n" + crd("bs")}))
	require.NoError(t, err)
	r, err := compat.Check(t.Context(), p, compat.Options{Base: base})
	require.NoError(t, err)
	require.NoError(t, base.Close())
	assert.Equal(t, []string{"crds/b.yaml:3:12: crd-removed: the CRD bs.example.com was removed; with it go all objects of the kind K"}, checktest.Lines(r.Findings))
}
