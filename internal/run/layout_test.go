// SPDX-License-Identifier: Apache-2.0

package run

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/run/builtin"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

const thingCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
spec:
  group: example.com
  names:
    kind: Thing
    plural: things
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`

// CRDs of the project's kinds are found wherever they are, and no others: not those of tests.
func TestCRDsInUnusualPlaces(t *testing.T) {
	const types = "// +groupName=example.com\npackage v1\n\n// +kubebuilder:object:root=true\ntype Thing struct{}\n"
	other := strings.NewReplacer("things", "others", "Thing", "Other").Replace(thingCRD)
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
		said  string
	}{
		"one": {
			files: map[string]string{"api/v1/types.go": types, "artifacts/crd.yaml": thingCRD, "artifacts/other.yaml": other},
			want:  []string{"artifacts/crd.yaml"}, said: "crdctl: the project's CRDs are in artifacts/crd.yaml\n",
		},
		"copies": {
			files: map[string]string{"api/v1/types.go": types, "artifacts/a.yaml": thingCRD, "artifacts/b.yaml": thingCRD, "a/charts/thing.yaml": thingCRD, "test/crd.yaml": thingCRD},
			want:  []string{"artifacts/a.yaml"},
			said:  "crdctl: the project's CRDs are in artifacts/a.yaml\ncrdctl: some of them are also in a/charts/thing.yaml, artifacts/b.yaml; -f FILE chooses\n",
		},
		"none": {
			files: map[string]string{"api/v1/types.go": types, "test/crd.yaml": thingCRD},
			said:  "crdctl: no CRDs of the project's kinds were found; unless the controller creates them, name their files with -f\n",
		},
		"no kinds": {files: map[string]string{"artifacts/crd.yaml": thingCRD}},
	} {
		t.Run(name, func(t *testing.T) {
			root, said := t.TempDir(), &strings.Builder{}
			safefstest.WriteFiles(t, root, map[string]string{"go.mod": "module example.com/a\n"})
			safefstest.WriteFiles(t, root, test.files)
			i := &installer{
				Options: Options{Options: builtin.Options{Root: root}, Project: &config.Project{}, Program: &mainpkg.Program{}},
				sources: newSources(root), reporter: ui.NewReporter(said),
			}
			for range 2 { // the second looks for nothing, and prints nothing
				crds, err := i.managerCRDs()
				require.NoError(t, err)
				var files []string
				for _, crd := range crds {
					files = append(files, crd.File)
				}
				assert.Equal(t, test.want, files)
			}
			assert.Equal(t, test.said, said.String())
		})
	}
}

// While a kustomization cannot be built, the CRDs stay those that it had, with its patches: those of the directory would take the conversion
// webhook away from objects that are stored. Messages name the file of the directory either way.
func TestCRDsOfABrokenKustomization(t *testing.T) {
	root := t.TempDir()
	const good = "resources: [../crd]\npatches:\n- patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"patched\": \"yes\"}}]'\n  target: {kind: CustomResourceDefinition}\n"
	write := func(kustomization string) {
		safefstest.WriteFiles(t, root, map[string]string{
			"config/crd/bases/things.yaml": thingCRD, "config/crd/kustomization.yaml": "resources: [bases/things.yaml]\n", "config/default/kustomization.yaml": kustomization,
		})
	}
	i := &installer{
		Options:  Options{Options: builtin.Options{Root: root}, Project: &config.Project{Controller: config.Controller{Manifests: []string{"config/default"}}}, Program: &mainpkg.Program{}},
		sources:  newSources(root),
		reporter: ui.NewReporter(&strings.Builder{}),
	}
	patched := func() bool {
		crds, err := i.managerCRDs()
		require.NoError(t, err)
		require.Len(t, crds, 1)
		assert.Equal(t, "config/crd/bases/things.yaml", filepath.ToSlash(crds[0].File))
		return crds[0].Labels["patched"] == "yes"
	}
	write("resources: [../missing.yaml]\n")
	assert.False(t, patched(), "at the start there is nothing better")
	write(good)
	assert.True(t, patched())
	write("resources: [../missing.yaml]\n")
	assert.True(t, patched())
	write("resources: []\n")
	assert.False(t, patched(), "it was read, and has no CRD any more")
}

// A first build downloads modules. The CRDs of their types are looked for again then, and only then.
func TestCRDsOfModulesThatWereNotDownloaded(t *testing.T) {
	root, cache, said := t.TempDir(), t.TempDir(), &strings.Builder{}
	safefstest.WriteFiles(t, root, map[string]string{"go.mod": "module example.com/a\n\nrequire example.com/things v1.0.0\n"})
	i := &installer{
		Options: Options{
			Options: builtin.Options{Root: root}, Project: &config.Project{}, modCache: cache,
			Program: &mainpkg.Program{Kinds: []mainpkg.Kind{{Package: "example.com/things/api/v1", Name: "Thing"}}},
		},
		sources: newSources(root), reporter: ui.NewReporter(said),
	}
	count := func() int {
		crds, err := i.managerCRDs()
		require.NoError(t, err)
		return len(crds)
	}
	assert.Zero(t, count())
	safefstest.WriteFiles(t, cache, map[string]string{"example.com/things@v1.0.0/config/crd/bases/things.yaml": thingCRD})
	assert.Zero(t, count(), "before the build")
	assert.True(t, i.downloaded())
	assert.Equal(t, 1, count())
	assert.False(t, i.downloaded(), "nothing is missing now")
}

// Of modules that no build downloads, as with a vendor directory, the CRDs are looked for once more, and not after each build.
func TestCRDsOfModulesThatAreNeverDownloaded(t *testing.T) {
	root, said := t.TempDir(), &strings.Builder{}
	safefstest.WriteFiles(t, root, map[string]string{"go.mod": "module example.com/a\n\nrequire example.com/things v1.0.0\n", "test/things.yaml": thingCRD})
	i := &installer{
		Options: Options{
			Options: builtin.Options{Root: root}, Project: &config.Project{}, modCache: t.TempDir(),
			Program: &mainpkg.Program{Kinds: []mainpkg.Kind{{Package: "example.com/things/api/v1", Name: "Thing"}}},
		},
		sources: newSources(root), reporter: ui.NewReporter(said),
	}
	for _, again := range []bool{true, false} {
		crds, err := i.managerCRDs()
		require.NoError(t, err)
		assert.Len(t, crds, 1)
		assert.Equal(t, again, i.downloaded())
	}
	assert.Equal(t, 1, strings.Count(said.String(), "kinds of other projects"), said.String())
}
