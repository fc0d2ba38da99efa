// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

const good = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {kind: CronTab, plural: crontabs}
  versions: [{name: v1beta1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`

func TestParseReadsSeveralDocuments(t *testing.T) {
	other := "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n"
	json := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a.b.c"},"spec":{"group":"b.c","scope":"Cluster","names":{"kind":"A","plural":"a"},"versions":[{"name":"v1"}]}}`
	crds, err := parseCRDs(file{name: "crd.yaml", data: []byte("---\n" + good + "---\n" + other + "---\n\n---\n" + json + "\n")})
	require.NoError(t, err)
	var names []string
	for _, c := range crds {
		names = append(names, c.Name)
	}
	assert.Equal(t, "crontabs.stable.example.com a.b.c", strings.Join(names, " "), "read")
}

func TestParseRefuses(t *testing.T) {
	for name, test := range map[string]struct{ in, want string }{
		"the removed version": {
			strings.Replace(good, "/v1", "/v1beta1", 1),
			"crd.yaml:1: a CustomResourceDefinition of apiextensions.k8s.io/v1beta1; API servers since 1.22 take apiextensions.k8s.io/v1 only; \"crdctl init --from-crd FILE\" converts it",
		},
		"an unknown field, in the second document": {
			good + "---\n" + strings.Replace(good, "scope:", "socpe:", 1),
			`crd.yaml:10: CustomResourceDefinition crontabs.stable.example.com: has no spec.scope; add what is missing; unknown field "spec.socpe"`,
		},
		"names at the wrong place": { // as in the manifest of a walk-through, by a wrong indentation
			"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.c}\nspec: {group: b.c, versions: []}\n",
			"crd.yaml:1: CustomResourceDefinition a.b.c: has no spec.names.kind, spec.names.plural, spec.scope, spec.versions; add what is missing",
		},
		"names that are indented too deep": {
			"---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.c}\nspec:\n  group: b.c\n  scope: Namespaced\n" +
				"  versions:\n    - {name: v1, schema: {names: {kind: A, plural: a}}}\n",
			"crd.yaml:2: CustomResourceDefinition a.b.c: has no spec.names.kind, spec.names.plural; spec.names is at spec.versions[0].schema.names: correct the indentation; unknown field \"spec.versions[0].schema.names\"",
		},
		"what is not YAML": {good + "---\na: [\n", "crd.yaml:10: invalid YAML: a value is missing or a bracket is not closed; add what is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseCRDs(file{name: "crd.yaml", data: []byte(test.in)})
			assert.EqualError(t, err, test.want)
		})
	}
}

func TestCRDsOfAFolder(t *testing.T) {
	dir := t.TempDir()
	safefstest.WriteFiles(t, dir, map[string]string{"crd.yaml": good, "README.md": "no YAML: [", "kustomization.yaml": "resources: [crd.yaml]\n"})
	if crds, err := CRDs(dir); err != nil || len(crds) != 1 {
		t.Errorf("%d CRDs, %v; want 1", len(crds), err)
	}
	if crds, err := CRDsIn(dir, "missing"); err != nil || len(crds) != 0 {
		t.Errorf("a missing directory: %v, %v", crds, err)
	}
	_, err := CRDs(filepath.Join(dir, "README.md"))
	assert.Error(t, err, "a file without a CRD is no error")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("---\n---\n{}\n---\nnull\n"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = parseCRDs(file{name: "crd.yaml", data: data}) // must not panic
	})
}

// Of types without a group controller-gen writes a CRD that no API server takes, which stays in the repository next to the others.
func TestCRDOfNoKind(t *testing.T) {
	dir := t.TempDir()
	none := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {creationTimestamp: null}\nspec: {group: \"\", names: {kind: \"\", plural: \"\"}, scope: \"\", versions: null}\n"
	safefstest.WriteFiles(t, dir, map[string]string{"_.yaml": none})
	if crds, err := CRDsIn(dir, "."); err != nil || len(crds) != 0 {
		t.Errorf("got %v, %v", crds, err)
	}
	// The name of the file alone says nothing.
	safefstest.WriteFiles(t, dir, map[string]string{"_.yaml": good})
	if crds, err := CRDsIn(dir, "."); err != nil || len(crds) != 1 {
		t.Errorf("got %v, %v", crds, err)
	}
}
