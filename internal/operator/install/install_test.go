// SPDX-License-Identifier: Apache-2.0

package install

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
)

// definition is a CRD whose names end with its plural.
func definition(kind, plural string, scope apiextv1.ResourceScope, statuses ...bool) *apiextv1.CustomResourceDefinition {
	crd := &apiextv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: apiextv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: plural + ".example.com"},
		Spec: apiextv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: scope, Names: apiextv1.CustomResourceDefinitionNames{Kind: kind, Plural: plural},
		},
	}
	for _, status := range statuses {
		v := apiextv1.CustomResourceDefinitionVersion{Name: "v1", Served: true}
		if status {
			v.Subresources = &apiextv1.CustomResourceSubresources{Status: &apiextv1.CustomResourceSubresourceStatus{}}
		}
		crd.Spec.Versions = append(crd.Spec.Versions, v)
	}
	return crd
}

func options(loop config.Loop, crds ...*apiextv1.CustomResourceDefinition) Options {
	return Options{Loop: loop.WithDefaults("cron"), CRDs: crds, Namespace: "cron-system", Image: "example.com/crdctl:1", Replicas: 2}
}

func made(t *testing.T, o Options) *Set {
	t.Helper()
	set, err := New(o)
	require.NoError(t, err)
	return set
}

// find is the object of a type and a name, with the namespace before it if it has one.
func find[T metav1.Object](t *testing.T, set *Set, name string) (found T) {
	t.Helper()
	for _, f := range set.Files {
		for _, object := range f.Objects {
			o, _ := object.(map[string]any)
			u := unstructured.Unstructured{Object: o}
			if u.GetKind() != reflect.TypeFor[T]().Elem().Name() || strings.TrimPrefix(u.GetNamespace()+"/"+u.GetName(), "/") != name {
				continue
			}
			if data, err := json.Marshal(o); err != nil || json.Unmarshal(data, &found) != nil {
				t.Fatalf("%v is not a %T", o, found)
			}
			return found
		}
	}
	t.Fatalf("there is no %T %s", found, name)
	return found
}

func TestMakeRefuses(t *testing.T) {
	namespaced := definition("CronTab", "crontabs", apiextv1.NamespaceScoped, true)
	for name, test := range map[string]struct {
		loop config.Loop
		crds []*apiextv1.CustomResourceDefinition
		want string
	}{
		"no CRD":            {config.Loop{}, nil, "no CustomResourceDefinition to work on; name a manifest with -f, or its directory as crds.dir in crdctl.yaml"},
		"a CRD twice":       {config.Loop{}, []*apiextv1.CustomResourceDefinition{namespaced, namespaced}, "customresourcedefinition crontabs.example.com is given twice; name it once"},
		"an unknown kind":   {config.Loop{Hook: "http://a/", Owns: []string{"v1/Pod", "x.io/v1/Thing"}}, nil, `owns[1]: the resource name (plural) of "x.io/v1/Thing" is unknown: neither the CRDs nor client-go have that kind; name one such as `},
		"a misspelt kind":   {config.Loop{Hook: "http://a/", Owns: []string{"apps/v1/Deploymnet"}}, nil, `did you mean apps/v1/Deployment?; or append the name, for example apps/v1/Deploymnet=things`},
		"a missing program": {config.Loop{Hook: "./nowhere.py"}, nil, "hook: ./nowhere.py is not in "},
		"missing templates": {config.Loop{Template: "nowhere"}, nil, "template: nowhere is not in "},
	} {
		o := options(test.loop, test.crds...)
		o.Root = t.TempDir()
		if test.crds == nil && name != "no CRD" {
			o.CRDs = []*apiextv1.CustomResourceDefinition{namespaced}
		}
		_, err := New(o)
		assert.ErrorContains(t, err, test.want, name)
	}
}

// Files are written again and again by the same command, so they must not depend on anything but the options.
func TestStreamIsTheSameEachTime(t *testing.T) {
	o := options(config.Loop{Hook: "http://hooks/sync", Owns: []string{"v1/Secret", "apps/v1/Deployment", "v1/ConfigMap"}, Namespaces: []string{"b", "a"}},
		definition("Foo", "foos", apiextv1.NamespaceScoped, true), definition("Bar", "bars", apiextv1.ClusterScoped, true))
	first, err := made(t, o).Stream()
	require.NoError(t, err)
	slices.Reverse(o.CRDs)
	for range 20 {
		if again, err := made(t, o).Stream(); err != nil || !bytes.Equal(again, first) {
			t.Fatalf("%v\n%s\nand then\n%s", err, first, again)
		}
	}
	assert.False(t, bytes.Contains(first, []byte("creationTimestamp")), "there is what only a server fills in:\n%s", first)
	assert.False(t, bytes.Contains(first, []byte("\nstatus:")), "there is what only a server fills in:\n%s", first)
}

func TestReplicas(t *testing.T) {
	o := options(config.Loop{}, definition("Foo", "foos", apiextv1.NamespaceScoped))
	two := made(t, o)
	assert.Equal(t, "5-disruption.yaml", two.Files[len(two.Files)-1].Name, "two replicas have no budget, or nothing that keeps them apart")
	assert.NotNil(t, find[*appsv1.Deployment](t, two, "cron-system/cron").Spec.Template.Spec.Affinity, "two replicas have no budget, or nothing that keeps them apart")
	o.Replicas, o.Loop.Shards, o.Loop.LeaseDuration, o.Namespace = 1, 4, 5*time.Second, "default"
	one := made(t, o)
	assert.Equal(t, "0-crds.yaml 2-rbac.yaml 4-deployment.yaml", fileNames(one), "one replica in the namespace default")
	d := find[*appsv1.Deployment](t, one, "default/cron")
	assert.Equal(t, "run --builtin --in-cluster --crd=foos.example.com --lease-namespace=default --metrics=:8080 --name=cron --shards=4 --lease-duration=5s", strings.Join(d.Spec.Template.Spec.Containers[0].Args, " "))
	assert.Contains(t, one.Notes, "4 shards but one replica, which works on all of them; set --replicas", "notes")
	// Leases of shards have names that are not known beforehand.
	role := find[*rbacv1.Role](t, one, "default/cron-leases")
	if len(role.Rules) != 1 || len(role.Rules[0].ResourceNames) > 0 || !slices.Contains(role.Rules[0].Verbs, "delete") {
		t.Errorf("rules %+v", role.Rules)
	}
}

func fileNames(set *Set) string {
	var names []string
	for _, f := range set.Files {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

// What the command wrote, it writes again, and takes away again; what another program wrote, it leaves alone.
func TestTreeKnowsItsOwnFiles(t *testing.T) {
	dir, o := t.TempDir(), options(config.Loop{}, definition("Foo", "foos", apiextv1.NamespaceScoped))
	files, err := made(t, o).Tree(false)
	require.NoError(t, err)
	for _, name := range files.Paths() {
		data, _ := files.Content(name)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	o.Replicas = 1
	files, err = made(t, o).Tree(false)
	require.NoError(t, err)
	changes, err := files.Diff(dir)
	if err != nil || len(changes) != 2 || changes[0].Path != "4-deployment.yaml" || changes[0].Op != "update" || changes[1].Path != "5-disruption.yaml" || changes[1].Op != "delete" {
		t.Errorf("%v, %v", changes, err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "4-deployment.yaml"), []byte("# mine\n"), 0o600))
	const want = "4-deployment.yaml was not written by crdctl manifests and would be overwritten; choose another directory with --output, or overwrite with --force"
	_, err = files.Diff(dir)
	assert.EqualError(t, err, want)
	files, err = made(t, o).Tree(true)
	require.NoError(t, err)
	if changes, err := files.Diff(dir); err != nil || len(changes) != 2 {
		t.Errorf("with force: %v, %v", changes, err)
	}
}
