// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/controlplane/crds"
)

func crd(t *testing.T, plural, kind, group string) *apiextv1.CustomResourceDefinition {
	t.Helper()
	made := &apiextv1.CustomResourceDefinition{}
	require.NoError(t, yaml.UnmarshalStrict(fmt.Appendf(nil, `
metadata: {name: %[1]s.%[3]s}
spec:
  group: %[3]s
  scope: Namespaced
  names: {plural: %[1]s, singular: %[4]s, kind: %[2]s, listKind: %[2]sList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}}]
`, plural, kind, group, strings.ToLower(kind)), made))
	return made
}

func TestInstallCRDs(t *testing.T) {
	t.Parallel()
	c, client := sharedPlane(t)
	widgets, gears := crd(t, "widgets", "Widget", "install.example.com"), crd(t, "gears", "Gear", "install.example.com")
	gears.Spec.Scope = apiextv1.ClusterScoped
	require.NoError(t, InstallCRDsPromptly(t.Context(), c.RESTConfig(), widgets, gears))
	api := apiextclient.NewForConfigOrDie(c.RESTConfig()).ApiextensionsV1().CustomResourceDefinitions()
	for _, name := range []string{widgets.Name, gears.Name} {
		installed, err := api.Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		require.True(t, apihelpers.IsCRDConditionTrue(installed, apiextv1.Established), name)
		assert.Greater(t, time.Since(apihelpers.FindCRDCondition(installed, apiextv1.Established).LastTransitionTime.Time), backdating, name)
		assert.True(t, slices.ContainsFunc(installed.ManagedFields, func(m metav1.ManagedFieldsEntry) bool { return m.Manager == crds.FieldManager }), name)
	}
	namespace, dyn := newNamespace(t, client), dynamic.NewForConfigOrDie(c.RESTConfig())
	gvr := schema.GroupVersionResource{Group: "install.example.com", Version: "v1", Resource: "widgets"}
	widget := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "install.example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"name": "one"}, "size": int64(1)}}
	_, err := dyn.Resource(gvr).Namespace(namespace).Create(t.Context(), widget, metav1.CreateOptions{})
	assert.NoError(t, err)

	// Again, changed: the object stays, the new field is served.
	widgets.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["colour"] = apiextv1.JSONSchemaProps{Type: "string"}
	require.NoError(t, crds.Install(t.Context(), c.RESTConfig(), widgets))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		patch := []byte(`{"colour":"red"}`)
		changed, err := dyn.Resource(gvr).Namespace(namespace).Patch(t.Context(), "one", "application/merge-patch+json", patch, metav1.PatchOptions{})
		require.NoError(c, err)
		assert.Equal(c, "red", changed.Object["colour"], "pruned")
		for _, path := range []string{"/openapi/v2", "/openapi/v3/apis/install.example.com/v1"} {
			document, err := client.Discovery().RESTClient().Get().AbsPath(path).DoRaw(t.Context())
			require.NoError(c, err)
			assert.True(c, bytes.Contains(document, []byte("colour")), path)
		}
	}, patience, tick)
}

func TestRefusedCRDs(t *testing.T) {
	t.Parallel()
	c, _ := sharedPlane(t)
	broken := crd(t, "things", "Thing", "refused.example.com")
	broken.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["size"] = apiextv1.JSONSchemaProps{Type: "whole"}
	wrongName := crd(t, "things", "Thing", "refused.example.com")
	wrongName.Name = "stuff.refused.example.com"
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	first, sameNames := crd(t, "firsts", "Taken", "refused.example.com"), crd(t, "seconds", "Taken", "refused.example.com")
	require.NoError(t, InstallCRDsPromptly(ctx, c.RESTConfig(), first))
	for name, test := range map[string]struct {
		crd  *apiextv1.CustomResourceDefinition
		want []string
	}{
		"schema": {broken, []string{"CRD things.refused.example.com", "spec.validation.openAPIV3Schema.properties[size].type: Unsupported value: \"whole\""}},
		"name":   {wrongName, []string{"CRD stuff.refused.example.com", "metadata.name", "must be spec.names.plural"}},
		"kind":   {sameNames, []string{"CRD seconds.refused.example.com", `is already in use`, "choose other names"}},
	} {
		err := InstallCRDsPromptly(ctx, c.RESTConfig(), test.crd)
		for _, part := range test.want {
			assert.ErrorContains(t, err, part, "%s: error without", name)
		}
	}
	cancel()
	assert.ErrorContains(t, InstallCRDsPromptly(ctx, c.RESTConfig(), first), first.Name, "with an expired context")
}
