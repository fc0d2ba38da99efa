// SPDX-License-Identifier: Apache-2.0

package run

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/builtin"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

func sample(version, namespace, name string) manifest.Object {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("example.com/" + version)
	o.SetKind("Alpha")
	o.SetNamespace(namespace)
	o.SetName(name)
	return manifest.Object{Unstructured: o}
}

func TestOncePerObject(t *testing.T) {
	crd := &apiextv1.CustomResourceDefinition{Spec: apiextv1.CustomResourceDefinitionSpec{
		Group: "example.com", Names: apiextv1.CustomResourceDefinitionNames{Kind: "Alpha"},
		Versions: []apiextv1.CustomResourceDefinitionVersion{{Name: "v1", Storage: true}, {Name: "v1beta1"}, {Name: "v1beta2"}},
	}}
	for name, test := range map[string]struct {
		in   []manifest.Object
		want []string // versions
	}{
		"the stored one first": {[]manifest.Object{sample("v1", "", "a"), sample("v1beta1", "default", "a")}, []string{"v1"}},
		"the stored one last":  {[]manifest.Object{sample("v1beta1", "", "a"), sample("v1", "", "a")}, []string{"v1"}},
		"neither is stored":    {[]manifest.Object{sample("v1beta1", "", "a"), sample("v1beta2", "", "a")}, []string{"v1beta2"}},
		"other names":          {[]manifest.Object{sample("v1beta1", "", "a"), sample("v1", "", "b")}, []string{"v1beta1", "v1"}},
		"other namespaces":     {[]manifest.Object{sample("v1beta1", "x", "a"), sample("v1", "", "a")}, []string{"v1beta1", "v1"}},
		"generated names":      {[]manifest.Object{sample("v1beta1", "", ""), sample("v1", "", "")}, []string{"v1beta1", "v1"}},
	} {
		kept, others := oncePerObject(test.in, []manifest.CRD{{CustomResourceDefinition: crd}})
		if len(kept) != len(test.want) || len(kept)+len(others) != len(test.in) {
			t.Errorf("%s: %d kept, %d left out, want %d kept", name, len(kept), len(others), len(test.want))
			continue
		}
		for i, o := range kept {
			assert.Equal(t, test.want[i], o.GroupVersionKind().Version, "%s: kept", name)
		}
	}
}

// The annotation is the manifest without it, also when it is set again.
func TestSetLastApplied(t *testing.T) {
	o := sample("v1", "default", "a").Unstructured
	for range 2 {
		require.NoError(t, setLastApplied(o))
	}
	var last unstructured.Unstructured
	require.NoError(t, json.Unmarshal([]byte(o.GetAnnotations()[corev1.LastAppliedConfigAnnotation]), &last.Object))
	assert.Equal(t, "a", last.GetName(), "the annotation is %v", last.Object)
	assert.Empty(t, last.GetAnnotations(), "the annotation is %v", last.Object)
}

// A sample that is not applied for another version's sake is named once, not with each save.
func TestOtherVersionsAreNamedOnce(t *testing.T) {
	for name, kustomization := range map[string]string{"files": "", "a kustomization": "resources: [v1.yaml, v2.yaml]\n"} {
		t.Run(name, func(t *testing.T) { otherVersionsAreNamedOnce(t, kustomization) })
	}
}

func otherVersionsAreNamedOnce(t *testing.T, kustomization string) {
	b := newApplyBed(t, nil)
	root := t.TempDir()
	if kustomization != "" {
		safefstest.WriteFiles(t, root, map[string]string{"samples/kustomization.yaml": kustomization})
	}
	for _, version := range []string{"v1", "v2"} {
		safefstest.WriteFiles(t, root, map[string]string{"samples/" + version + ".yaml": "apiVersion: example.com/" + version + "\nkind: Alpha\nmetadata: {name: a}\n"})
	}
	i := &installer{
		Options: Options{Options: builtin.Options{Root: root}, Project: &config.Project{Controller: config.Controller{Samples: []string{"samples"}}}},
		sources: newSources(root), applier: b.applier, reporter: b.reporter,
	}
	for range 2 {
		err := i.applySamples(t.Context())
		require.Equal(t, kustomization == "", err != nil, "the kind is unknown: %v", err)
	}
	want := []string{"samples/v1.yaml:1: not applied: another sample has the same object, alpha.example.com/a, in another version"}
	if kustomization != "" {
		want = append(want, "skipped 1 object of kinds that this API server does not have: Alpha.example.com")
	}
	b.want(t, nil, want)
}
