// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

var (
	cronTab = Kind{Resource: schema.GroupVersionResource{Group: "stable.example.com", Version: "v1beta1", Resource: "crontabs"}, Kind: "CronTab", Namespaced: true}
	demo    = cache.ObjectName{Namespace: "default", Name: "crontab-demo"}
)

func crd(name string, scope apiextv1.ResourceScope, versions ...apiextv1.CustomResourceDefinitionVersion) *apiextv1.CustomResourceDefinition {
	return &apiextv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: name + ".stable.example.com"},
		Spec: apiextv1.CustomResourceDefinitionSpec{
			Group: "stable.example.com", Scope: scope, Versions: versions,
			Names: apiextv1.CustomResourceDefinitionNames{Plural: name, Kind: "CronTab"},
		},
	}
}

func version(name string, served, storage bool) apiextv1.CustomResourceDefinitionVersion {
	return apiextv1.CustomResourceDefinitionVersion{Name: name, Served: served, Storage: storage}
}

func TestKindsOf(t *testing.T) {
	cases := []struct {
		name     string
		versions []apiextv1.CustomResourceDefinitionVersion
		want     string
	}{
		{"storage version", []apiextv1.CustomResourceDefinitionVersion{version("v1beta1", true, false), version("v1", true, true)}, "v1"},
		{"storage version not served", []apiextv1.CustomResourceDefinitionVersion{version("v1", false, true), version("v2", true, false), version("v3", true, false)}, "v2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			kinds, err := KindsOf(crd("crontabs", apiextv1.NamespaceScoped, c.versions...))
			require.NoError(t, err)
			want := cronTab
			want.Resource.Version = c.want
			require.Len(t, kinds, 1)
			assert.Equal(t, want, kinds[0])
		})
	}
}

func TestObservedGenerationNeedsTheSubresource(t *testing.T) {
	status := apiextv1.JSONSchemaProps{Properties: map[string]apiextv1.JSONSchemaProps{"observedGeneration": {Type: "integer"}}}
	for _, subresource := range []bool{true, false} {
		v := version("v1", true, true)
		v.Schema = &apiextv1.CustomResourceValidation{OpenAPIV3Schema: &apiextv1.JSONSchemaProps{Properties: map[string]apiextv1.JSONSchemaProps{"status": status}}}
		if subresource {
			v.Subresources = &apiextv1.CustomResourceSubresources{Status: &apiextv1.CustomResourceSubresourceStatus{}}
		}
		kinds, err := KindsOf(crd("crontabs", apiextv1.NamespaceScoped, v))
		if err != nil || kinds[0].StatusSubresource != subresource || kinds[0].ObservedGeneration != subresource {
			t.Errorf("subresource %v: %+v, %v", subresource, kinds, err)
		}
	}
}

func TestKindsOfNamesEveryCRDWithoutAServedVersion(t *testing.T) {
	off := version("v1", false, true)
	_, err := KindsOf(crd("as", apiextv1.ClusterScoped, off), crd("bs", apiextv1.ClusterScoped, version("v1", true, true)), crd("cs", apiextv1.ClusterScoped))
	const want = `customresourcedefinition as.stable.example.com does not serve any version; set served: true on one of spec.versions
customresourcedefinition cs.stable.example.com does not serve any version; set served: true on one of spec.versions`
	assert.EqualError(t, err, want)
}

func TestCheckKey(t *testing.T) {
	clusterWide := cronTab
	clusterWide.Namespaced = false
	cases := []struct {
		kind  Kind
		key   cache.ObjectName
		valid bool
	}{
		{cronTab, demo, true},
		{cronTab, cache.ObjectName{Name: "x"}, false},
		{cronTab, cache.ObjectName{Namespace: "default"}, false},
		{cronTab, cache.ObjectName{Namespace: "default", Name: "a/b"}, false},
		{clusterWide, cache.ObjectName{Name: "x"}, true},
		{clusterWide, demo, false},
	}
	for _, c := range cases {
		if err := c.kind.checkKey(c.key); (err == nil) != c.valid {
			t.Errorf("namespaced %v, key %+v: %v", c.kind.Namespaced, c.key, err)
		}
	}
}
