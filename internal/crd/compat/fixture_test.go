package compat_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// crd makes a CRD of names and schemas of versions. Each object of it has a field that tells which state of the CRD is
// at work, for those who wait for it.
func crd(t testing.TB, group, state string, versions []string) *apiextv1.CustomResourceDefinition {
	t.Helper()
	made := &apiextv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "crontabs." + group},
		Spec: apiextv1.CustomResourceDefinitionSpec{
			Group: group, Scope: apiextv1.NamespaceScoped,
			Names: apiextv1.CustomResourceDefinitionNames{Plural: "crontabs", Kind: "CronTab"},
		},
		Status: apiextv1.CustomResourceDefinitionStatus{StoredVersions: versions[:1]},
	}
	for i := 0; i < len(versions); i += 2 {
		schema := &apiextv1.JSONSchemaProps{}
		text := fmt.Sprintf("{type: object, properties: {spec: %s, state: {type: string, default: %s}}}", versions[i+1], state)
		require.NoError(t, yaml.UnmarshalStrict([]byte(text), schema))
		made.Spec.Versions = append(made.Spec.Versions, apiextv1.CustomResourceDefinitionVersion{
			Name: versions[i], Served: true, Storage: i == 0, Schema: &apiextv1.CustomResourceValidation{OpenAPIV3Schema: schema},
		})
	}
	return made
}

// objects are those of a case, in the order of their names.
func (c testCase) made(t testing.TB, group string) []unstructured.Unstructured {
	t.Helper()
	var all []unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(c.objects)) {
		u := unstructured.Unstructured{}
		text := fmt.Sprintf("{apiVersion: %s/%s, kind: CronTab, metadata: {namespace: default, name: %q}, spec: %s}", group, c.current[0], name, c.objects[name])
		data, err := yaml.YAMLToJSONStrict([]byte(text))
		require.NoError(t, err)
		require.NoError(t, u.UnmarshalJSON(data))
		all = append(all, u)
	}
	return all
}

// lines are what is said, one finding a line.
func lines[T fmt.Stringer](findings []T) string {
	var b strings.Builder
	for _, f := range findings {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}
