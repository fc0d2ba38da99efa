// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
)

var update = flag.Bool("update", false, "write the table anew")

// The table has the kinds of client-go itself, of the version in go.mod.
func TestTableIsThatOfClientGo(t *testing.T) {
	want := linked()
	if *update {
		var table bytes.Buffer
		lines := json.NewEncoder(&table)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			require.NoError(t, lines.Encode(want[name]))
		}
		require.NoError(t, os.WriteFile("resources.jsonl", table.Bytes(), 0o644))
		return
	}
	require.Greater(t, len(want), 50)
	assert.Equal(t, want, resources(), "go test ./internal/crd/builtin -update writes the table anew")
}

// linked are all kinds that client-go has a client, an informer and a lister of, by their names.
func linked() map[string]Resource {
	all := map[string]Resource{}
	factory := reflect.TypeFor[informers.SharedInformerFactory]()
	for group := range factory.Methods() {
		if group.Type.NumIn() != 0 || group.Type.NumOut() != 1 || !strings.HasPrefix(group.Type.Out(0).PkgPath(), "k8s.io/client-go/informers/") {
			continue
		}
		for version := range group.Type.Out(0).Methods() {
			for resource := range version.Type.Out(0).Methods() {
				if r, ok := resourceOf(group.Name, version.Name, resource); ok {
					all[r.String()] = r
				}
			}
		}
	}
	return all
}

// resourceOf takes the names of a kind from a method of the informer factory and from the clients.
func resourceOf(group, version string, resource reflect.Method) (Resource, bool) {
	lister, ok := resource.Type.Out(0).MethodByName("Lister")
	if !ok {
		return Resource{}, false
	}
	clients, ok := reflect.TypeFor[kubernetes.Interface]().MethodByName(group + version)
	if !ok {
		return Resource{}, false
	}
	client, ok := clients.Type.Out(0).MethodByName(resource.Name)
	if !ok {
		return Resource{}, false
	}
	create, ok := client.Type.Out(0).MethodByName("Create")
	if !ok || create.Type.NumIn() < 2 {
		return Resource{}, false
	}
	object := create.Type.In(1).Elem()
	instance, ok := reflect.New(object).Interface().(runtime.Object)
	if !ok {
		return Resource{}, false
	}
	gvks, _, err := scheme.Scheme.ObjectKinds(instance)
	if err != nil || len(gvks) == 0 {
		return Resource{}, false
	}
	gvk := gvks[0]
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	listers := lister.Type.Out(0).PkgPath()
	folder := listers[:strings.LastIndex(listers, "/")]
	r := Resource{
		Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Plural: plural.Resource, Namespaced: client.Type.NumIn() == 1,
		GroupGoName: group, VersionGoName: version, ClientMethod: clients.Name, GoPlural: resource.Name,
		Types:   Import{Path: object.PkgPath(), Alias: folder[strings.LastIndex(folder, "/")+1:] + gvk.Version},
		Listers: Import{Path: listers, Alias: folder[strings.LastIndex(folder, "/")+1:] + "listers"},
	}
	r.Replicated = fieldType(object, "Spec", "Replicas") == "*int32"
	r.Available = fieldType(object, "Status", "AvailableReplicas") == "int32"
	return r, true
}

// fieldType is the type of a field of a field, as Go writes it, or "".
func fieldType(object reflect.Type, names ...string) string {
	for _, name := range names {
		f, ok := object.FieldByName(name)
		if !ok {
			return ""
		}
		if object = f.Type; object.Kind() != reflect.Struct {
			return object.String()
		}
	}
	return ""
}
