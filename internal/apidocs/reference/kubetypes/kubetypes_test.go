// SPDX-License-Identifier: Apache-2.0

package kubetypes

import (
	"flag"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes/scheme"
)

var update = flag.Bool("update", false, "write the names of types")

// The reference has the structs that the kinds of Kubernetes are made of, save those that are written as one value. Versions that
// are not stable come and go there.
func TestNames(t *testing.T) {
	seen := map[reflect.Type]bool{}
	found := map[string]bool{}
	in := regexp.MustCompile(`^k8s\.io/(?:api|apimachinery/pkg/apis)/([a-z]+/v[0-9]+)$`)
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
			walk(typ.Elem())
		case reflect.Struct:
			if _, scalar := reflect.New(typ).Interface().(interface{ OpenAPISchemaType() []string }); scalar && typ.Name() != "Time" && typ.Name() != "MicroTime" && typ.Name() != "FieldsV1" {
				return
			}
			if m := in.FindStringSubmatch(typ.PkgPath()); m != nil && !strings.HasPrefix(m[1], "testapigroup/") {
				found[m[1]+"."+typ.Name()] = true
			}
			for i := range typ.NumField() {
				walk(typ.Field(i).Type)
			}
		}
	}
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		if gvk.Version != "__internal" && !strings.HasSuffix(typ.Name(), "Options") {
			walk(typ)
		}
	}
	text := strings.Join(slices.Sorted(maps.Keys(found)), "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile("names.txt", []byte(text), 0o644))
	}
	assert.True(t, text == names, "names.txt is out of date: run the test with -update")
}

func TestURL(t *testing.T) {
	for goType, want := range map[string]string{
		"k8s.io/api/core/v1.PodSpec":                           "https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/#podspec-v1-core",
		"k8s.io/api/networking/v1.NetworkPolicyPort":           "https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/#networkpolicyport-v1-networking-k8s-io",
		"k8s.io/apimachinery/pkg/apis/meta/v1.Condition":       "https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/#condition-v1-meta",
		"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":        "",
		"k8s.io/apimachinery/pkg/api/resource.Quantity":        "",
		"k8s.io/apimachinery/pkg/util/intstr.IntOrString":      "",
		"k8s.io/api/core/v1.PullPolicy":                        "",
		"github.com/cert-manager/cert-manager/pkg/v1.KeyUsage": "",
	} {
		assert.Equal(t, want, URL(goType, 34), goType)
	}
}
