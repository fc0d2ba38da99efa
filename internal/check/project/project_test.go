// SPDX-License-Identifier: Apache-2.0

package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

const manifest = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, served: x}}}]
`

// A CRD is the project's where its kind is a Go type of the group, also a kind that begins with a small letter, which no Go type does that is exported.
func TestKindsWithASmallLetter(t *testing.T) {
	root := t.TempDir()
	block := strings.NewReplacer("{name: things", "\n  name: things", "example.com}", "example.com", "{kind: Thing, plural: things}", "\n    kind: thing\n    plural: things").Replace(manifest)
	for name, text := range map[string]string{
		"deploy/thing.yaml": block, "deploy/other.yaml": strings.ReplaceAll(block, "thing", "other"),
		"api/v1/types.go": "// +groupName=example.com\npackage v1\n\n// +kubebuilder:object:root=true\ntype Thing struct{}\n", "go.mod": "module example.com/a\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	p, err := Open(root, &config.Project{})
	require.NoError(t, err)
	require.Len(t, p.CRDs, 1)
	assert.Equal(t, "deploy/thing.yaml", p.CRDs[0].File)
}

// The note about a CRD that another file has names both files and the CRD.
func TestCopies(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "crds"), 0o755))
	for _, name := range []string{"a.yaml", "b.yaml"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "crds", name), []byte(manifest), 0o600))
	}
	p, err := Open(root, &config.Project{CRDs: config.CRDs{Dir: "crds"}})
	require.NoError(t, err)
	assert.Equal(t, []string{"the CRD things.example.com in crds/b.yaml was skipped: crds/a.yaml has it as well"}, p.Skipped)

	other := strings.ReplaceAll(manifest, "plural: things", "plural: thingies") + "---\n" + strings.Split(manifest, "spec:")[0]
	require.NoError(t, os.WriteFile(filepath.Join(root, "crds", "c.yaml"), []byte(other), 0o600))
	p, err = Open(root, &config.Project{CRDs: config.CRDs{Dir: "crds"}})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"crds/c.yaml:9: the CRD things.example.com was skipped: without spec.group, spec.names and spec.versions it is a patch",
		"the CRD things.example.com in crds/c.yaml was skipped: crds/a.yaml has it as well, with another spec; so 1 more CRD",
	}, p.Skipped)
}

// Of two files with a CRD, that of v1 is judged: the other one is for API servers before Kubernetes 1.22.
func TestCopyOfV1Beta1(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "crds"), 0o755))
	for name, text := range map[string]string{"a.yaml": strings.ReplaceAll(manifest, "apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"), "b.yaml": manifest} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "crds", name), []byte(text), 0o600))
	}
	p, err := Open(root, &config.Project{CRDs: config.CRDs{Dir: "crds"}})
	require.NoError(t, err)
	require.Len(t, p.CRDs, 1)
	assert.Equal(t, "crds/b.yaml", p.CRDs[0].File)
	require.Len(t, p.Skipped, 1)
	assert.Contains(t, p.Skipped[0], "the CRD things.example.com in crds/a.yaml was skipped: crds/b.yaml has it as well")
}

// A manifest of an old release has CRDs of v1beta1 that the project has had: those that no Go type declares any more are not its own. Of
// a CRD that is in such a manifest and elsewhere, the other one is judged.
func TestManifestOfAnOldRelease(t *testing.T) {
	root := t.TempDir()
	block := strings.NewReplacer("{name: things", "\n  name: things", "example.com}", "example.com", "{kind: Thing, plural: things}", "\n    kind: Thing\n    plural: things").Replace(manifest)
	old := strings.ReplaceAll(block, "apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")
	gone := strings.NewReplacer("things", "relics", "Thing", "Relic").Replace(old)
	safefstest.WriteFiles(t, root, map[string]string{
		"go.mod":                 "module example.com/things\n",
		"api/v1/doc.go":          "// +groupName=example.com\npackage v1\n",
		"api/v1/types.go":        "package v1\n\n// +kubebuilder:object:root=true\ntype Thing struct {\n\tmetav1.TypeMeta\n\tmetav1.ObjectMeta\n}\n\n// +kubebuilder:object:root=true\ntype Gadget struct {\n\tmetav1.TypeMeta\n\tmetav1.ObjectMeta\n}\n",
		"alpha-releases/0.1.yml": old + "---\n" + gone,
		"config/all.yml":         strings.NewReplacer("things", "gadgets", "Thing", "Gadget").Replace(block) + "---\n" + block,
	})
	p, err := Open(root, &config.Project{})
	require.NoError(t, err)
	require.Len(t, p.CRDs, 2)
	assert.Equal(t, "config/all.yml", p.CRDs[1].File)
	assert.Equal(t, []string{
		"the CRD relics.example.com in alpha-releases/0.1.yml was skipped: it is of apiextensions.k8s.io/v1beta1, and no Go type of the project is of its kind",
		"the CRD things.example.com in alpha-releases/0.1.yml was skipped: config/all.yml has it as well",
	}, p.Skipped)
}

// The patch of a kustomization is no other manifest of its CRD.
func TestPatchIsNoCopy(t *testing.T) {
	root := t.TempDir()
	block := strings.NewReplacer("{name: things", "\n  name: things", "example.com}", "example.com").Replace(manifest)
	safefstest.WriteFiles(t, root, map[string]string{
		"crds/a.yaml":    block,
		"crds/copy.yaml": block,
		"webhook/patch.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: things.example.com\n" +
			"spec:\n  conversion:\n    strategy: Webhook\n",
		"webhook/gone.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: relics.example.com\n",
	})
	p, err := Open(root, &config.Project{CRDs: config.CRDs{Dir: "crds"}})
	require.NoError(t, err)
	require.Len(t, p.CRDs, 1)
	assert.Equal(t, []string{"crds/copy.yaml"}, p.CRDs[0].Others())
	assert.False(t, p.HasManifest("relics.example.com"))
}

// A CRD whose document did not change is what it would be if it was parsed again.
func TestParseAgain(t *testing.T) {
	crds, err := Parse("now.yaml", []byte(manifest))
	require.NoError(t, err)
	p := &Project{CRDs: crds}
	for name, text := range map[string]string{"the same": manifest, "further down": "# comment\n---\n" + manifest, "another": manifest + "# comment\n"} {
		want, err := Parse("old.yaml", []byte(text))
		require.NoError(t, err)
		got, err := p.Parse("old.yaml", []byte(text))
		require.NoError(t, err)
		require.Len(t, got, 1, name)
		assert.Equal(t, want[0].CustomResourceDefinition, got[0].CustomResourceDefinition, name)
		assert.Equal(t, []any{want[0].File, want[0].Line, want[0].Strict, want[0].Size}, []any{got[0].File, got[0].Line, got[0].Strict, got[0].Size}, name)
		assert.Equal(t, want[0].InManifest("spec", "group"), got[0].InManifest("spec", "group"), name)
		assert.Equal(t, name == "the same", got[0].CustomResourceDefinition == crds[0].CustomResourceDefinition, name)
	}
}

// Names of kinds, such as LoadTest, are in the names of files: there only the word test alone counts.
func TestFilesOfTests(t *testing.T) {
	for file, want := range map[string]bool{
		"test/crds/things.yaml":                              true,
		"config/things-test.yaml":                            true,
		"kindtest/shop":                                      true,
		"hack/kindtest":                                      true,
		"pkg/inttests/thing.yaml":                            true,
		"charts/shop/crds/shop.example.com_things.yaml":      false,
		"charts/shop/crds/shop.example.com_loadtests.yaml":   false,
		"config/samples/shop_v1_loadtest.yaml":               false,
		"config/samples/loadtest.yaml":                       false,
		"config/crd/bases/shop.example.com_systemtests.yaml": false,
		"config/contest/things.yaml":                         false,
	} {
		assert.Equal(t, want, Tests.MatchString(file), file)
	}
}
