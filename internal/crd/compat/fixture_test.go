// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/crd/compat"
)

// testCase is a change of a CRD, objects that are stored before it, and what is reported of the change. TestCheck holds
// Check to it, and TestServer an API server.
type testCase struct {
	Current, Changed revision
	Objects          map[string]json.RawMessage // specs by name
	Want             []string
}

// revision has the versions of a CRD, the storage version first, each with the schema of spec.
type revision []map[string]apiextv1.JSONSchemaProps

func (r revision) storage() string { return slices.Collect(maps.Keys(r[0]))[0] }

// cases returns the cases of testdata by their names.
func cases(t testing.TB) (all map[string]testCase) {
	t.Helper()
	content, err := os.ReadFile("testdata/cases.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(content, &all))
	return all
}

// parse returns a case that is written in a test.
func parse(t testing.TB, text string) (c testCase) {
	t.Helper()
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), &c))
	return c
}

// crd makes a CRD. Each object of it has a field with the state of the CRD that is at work, for tests that wait for it.
func crd(group, state string, versions revision) *apiextv1.CustomResourceDefinition {
	made := &apiextv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "crontabs." + group},
		Spec: apiextv1.CustomResourceDefinitionSpec{
			Group: group, Scope: apiextv1.NamespaceScoped,
			Names: apiextv1.CustomResourceDefinitionNames{Plural: "crontabs", Kind: "CronTab"},
		},
		Status: apiextv1.CustomResourceDefinitionStatus{StoredVersions: []string{versions.storage()}},
	}
	mark := apiextv1.JSONSchemaProps{Type: "string", Default: &apiextv1.JSON{Raw: fmt.Appendf(nil, "%q", state)}}
	for i, version := range versions {
		for name, spec := range version {
			schema := &apiextv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextv1.JSONSchemaProps{"spec": *spec.DeepCopy(), "state": mark}}
			made.Spec.Versions = append(made.Spec.Versions, apiextv1.CustomResourceDefinitionVersion{
				Name: name, Served: true, Storage: i == 0, Schema: &apiextv1.CustomResourceValidation{OpenAPIV3Schema: schema},
			})
		}
	}
	return made
}

// made returns the objects of a case, in the order of their names.
func (c testCase) made(t testing.TB, group string) []unstructured.Unstructured {
	t.Helper()
	var all []unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(c.Objects)) {
		u := unstructured.Unstructured{}
		text := fmt.Sprintf(`{"apiVersion": "%s/%s", "kind": "CronTab", "metadata": {"namespace": "default", "name": %q}, "spec": %s}`, group, c.Current.storage(), name, c.Objects[name])
		require.NoError(t, u.UnmarshalJSON([]byte(text)))
		all = append(all, u)
	}
	return all
}

// check holds what Check finds to lines.
func check(t *testing.T, current, changed *apiextv1.CustomResourceDefinition, objects []unstructured.Unstructured, want []string) []compat.Finding {
	t.Helper()
	findings, err := compat.Check(t.Context(), current, changed, objects)
	require.NoError(t, err)
	var got []string
	for _, f := range findings {
		got = append(got, f.String())
	}
	assert.Equal(t, want, got)
	return findings
}
