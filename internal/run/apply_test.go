// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/builtin"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/ui"
)

// mapper knows a few kinds, and has no discovery to repeat.
type mapper struct{ *meta.DefaultRESTMapper }

func (mapper) Reset() {}

// applyBed is an applier on a fake API server, which takes what is applied as it is.
type applyBed struct {
	*applier
	server  *dynamicfake.FakeDynamicClient
	patched []string         // resource/name in namespace, in order
	refuse  map[string]error // by name, once
	said    []string
}

func newApplyBed(t *testing.T, adapt func(*unstructured.Unstructured) error) *applyBed {
	t.Helper()
	kinds := meta.NewDefaultRESTMapper([]schema.GroupVersion{{Group: "admissionregistration.k8s.io", Version: "v1"}})
	kinds.Add(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, meta.RESTScopeRoot)
	kinds.Add(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, meta.RESTScopeNamespace)
	kinds.Add(schema.GroupVersionKind{Version: "v1", Kind: "ServiceAccount"}, meta.RESTScopeNamespace)
	kinds.Add(schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingWebhookConfiguration"}, meta.RESTScopeRoot)
	b := &applyBed{server: dynamicfake.NewSimpleDynamicClient(runtime.NewScheme()), refuse: map[string]error{}}
	b.server.PrependReactor("patch", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		patch := a.(clienttesting.PatchAction)
		if err := b.refuse[patch.GetName()]; err != nil {
			delete(b.refuse, patch.GetName())
			return true, nil, err
		}
		b.patched = append(b.patched, strings.TrimSuffix(fmt.Sprintf("%s/%s in %s", a.GetResource().Resource, patch.GetName(), a.GetNamespace()), " in "))
		o := &unstructured.Unstructured{}
		return true, o, o.UnmarshalJSON(patch.GetPatch())
	})
	b.applier = &applier{
		client: b.server, mapper: mapper{kinds}, adapt: adapt, made: map[string]string{}, created: map[string]bool{},
		reporter: ui.NewReporter(b),
	}
	return b
}

// Write takes a line of the reporter.
func (b *applyBed) Write(line []byte) (int, error) {
	b.said = append(b.said, strings.TrimSuffix(strings.TrimPrefix(string(line), "crdctl: "), "\n"))
	return len(line), nil
}

// object is one of a manifest; the namespace may be "".
func object(apiVersion, kind, namespace, name string) manifest.Object {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return manifest.Object{Unstructured: o, File: "m.yaml", Line: 3}
}

func (b *applyBed) want(t *testing.T, patched, said []string) {
	t.Helper()
	assert.Equal(t, patched, b.patched)
	assert.Equal(t, said, b.said)
	b.patched, b.said = nil, nil
}

// What others need comes first, webhooks last; only what changed is reported.
func TestApplyInOrder(t *testing.T) {
	b := newApplyBed(t, (&webhooks{port: 1, ca: "Cg=="}).adapt)
	objects := func() []manifest.Object {
		return []manifest.Object{
			object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "", "hook"), object("v1", "ConfigMap", "", "config"),
			object("v1", "ServiceAccount", "", "account"), object("v1", "Namespace", "ignored", "space"),
		}
	}
	require.NoError(t, b.apply(t.Context(), objects(), false))
	all := []string{"namespaces/space", "serviceaccounts/account in default", "configmaps/config in default", "validatingwebhookconfigurations/hook"}
	b.want(t, all, []string{"applied namespace/space, serviceaccount/account in default, configmap/config in default, validatingwebhookconfiguration.admissionregistration.k8s.io/hook"})
	changed := objects()
	changed[1].Object["data"] = map[string]any{"a": "b"}
	require.NoError(t, b.apply(t.Context(), changed, false))
	b.want(t, all, []string{"applied configmap/config in default"})
}

// A few objects are named; of many, the kinds are enough.
func TestListed(t *testing.T) {
	names := []string{"namespace/a", "role.rbac.authorization.k8s.io/b in a", "role.rbac.authorization.k8s.io/c in a", "configmap/d in a"}
	assert.Equal(t, strings.Join(names, ", "), listed(names))
	assert.Equal(t, "5 objects: namespace, 2 roles, 2 configmaps", listed(append(names, "configmap/e in a")))
}

// All that the server refuses is reported, with its place, and the rest is applied.
func TestApplyReportsAllProblems(t *testing.T) {
	b := newApplyBed(t, nil)
	b.refuse["one"], b.refuse["two"] = errors.New("refused 1"), errors.New("refused 2")
	err := b.apply(t.Context(), []manifest.Object{
		object("v1", "ConfigMap", "", "one"), object("v1", "ConfigMap", "", "fine"), object("v1", "ConfigMap", "", "two"), object("example.com/v1", "Unknown", "", "x"),
	}, false)
	for _, want := range []string{"m.yaml:3: configmap/one in default: refused 1", "configmap/two in default: refused 2", `unknown.example.com/x: no matches for kind "Unknown"`} {
		assert.ErrorContains(t, err, want)
	}
	b.want(t, []string{"configmaps/fine in default"}, []string{"applied configmap/fine in default"})
}

// A kustomization may have kinds that the API server lacks. One of which the server has another version is named with its version.
func TestApplySkipsUnknownKinds(t *testing.T) {
	b := newApplyBed(t, nil)
	objects := []manifest.Object{object("cert-manager.io/v1", "Certificate", "", "a"), object("admissionregistration.k8s.io/v1beta1", "ValidatingWebhookConfiguration", "", "b")}
	for i := range objects {
		objects[i].Built = true
	}
	require.NoError(t, b.apply(t.Context(), objects, false))
	b.want(t, nil, []string{"skipped 2 objects of kinds that this API server does not have: Certificate.cert-manager.io, ValidatingWebhookConfiguration.v1beta1.admissionregistration.k8s.io"})
}

// A namespace that manifests name is created once it turns out to be missing; nothing hides another reason.
func TestApplyCreatesTheNamespace(t *testing.T) {
	b := newApplyBed(t, nil)
	missing := apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "space")
	b.refuse["config"] = missing
	require.NoError(t, b.apply(t.Context(), []manifest.Object{object("v1", "ConfigMap", "space", "config")}, false))
	b.want(t, []string{"configmaps/config in space"}, []string{"created the namespace space, which manifests use", "applied configmap/config in space"})
	b.refuse["other"] = missing // and the namespace exists
	if err := b.apply(t.Context(), []manifest.Object{object("v1", "ConfigMap", "space", "other")}, false); !apierrors.IsNotFound(err) {
		t.Errorf("error %v", err)
	}
}

// An object with a generated name is created once for each content.
func TestApplyOfGeneratedNames(t *testing.T) {
	b := newApplyBed(t, nil)
	generated := func(data string) []manifest.Object {
		o := object("v1", "ConfigMap", "", "")
		o.SetGenerateName("config-")
		o.Object["data"] = map[string]any{"a": data}
		return []manifest.Object{o}
	}
	b.server.PrependReactor("create", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) {
		b.patched = append(b.patched, "created")
		return true, &unstructured.Unstructured{Object: map[string]any{}}, nil
	})
	for _, data := range []string{"1", "1", "2"} {
		require.NoError(t, b.apply(t.Context(), generated(data), false))
	}
	b.want(t, []string{"created", "created"}, []string{"applied configmap/config-* in default", "applied configmap/config-* in default"})
}

// A file that is being replaced, as git does it, is missing for a moment: its objects stay.
func TestReplacedManifest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newApplyBed(t, nil)
		var deleted []string
		b.server.PrependReactor("delete", "configmaps", func(a clienttesting.Action) (bool, runtime.Object, error) {
			deleted = append(deleted, a.(clienttesting.DeleteAction).GetName())
			return true, nil, nil
		})
		root := t.TempDir()
		manifest := func(name string) {
			safefstest.WriteFiles(t, root, map[string]string{"config/" + name + ".yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: default}\n"})
		}
		manifest("stays")
		manifest("replaced")
		i := &installer{
			Options: Options{Options: builtin.Options{Root: root}, Project: &config.Project{Controller: config.Controller{Manifests: []string{"config"}}}},
			sources: newSources(root), applier: b.applier, reporter: b.reporter,
		}
		require.NoError(t, i.applyManifests(t.Context(), true))

		file := filepath.Join(root, "config", "replaced.yaml")
		require.NoError(t, os.Remove(file))
		var written sync.WaitGroup
		written.Go(func() {
			time.Sleep(100 * time.Millisecond)
			manifest("replaced")
		})
		require.NoError(t, i.applyManifests(t.Context(), true))
		written.Wait()
		assert.Empty(t, deleted)

		require.NoError(t, os.Remove(file))
		require.NoError(t, i.applyManifests(t.Context(), true))
		assert.Equal(t, []string{"replaced"}, deleted)
	})
}

// What left the manifests is removed, but for namespaces; what could not be removed is tried again.
func TestPrune(t *testing.T) {
	b := newApplyBed(t, nil)
	before := []manifest.Object{
		object("v1", "Namespace", "", "space"), object("v1", "ConfigMap", "default", "stays"), object("v1", "ConfigMap", "default", "goes"),
		object("v1", "ConfigMap", "default", "gone"), object("v1", "ConfigMap", "default", "stuck"), object("example.com/v1", "Unknown", "", "x"),
	}
	b.server.PrependReactor("delete", "configmaps", func(a clienttesting.Action) (bool, runtime.Object, error) {
		switch name := a.(clienttesting.DeleteAction).GetName(); name {
		case "gone":
			return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, name)
		case "stuck":
			return true, nil, errors.New("not now")
		case "stays":
			t.Error("removed what the manifests still have")
		}
		return true, nil, nil
	})
	left, err := b.prune(t.Context(), before, []manifest.Object{object("v1", "ConfigMap", "default", "stays")})
	if len(left) != 1 || left[0].GetName() != "stuck" || err == nil || !strings.Contains(err.Error(), "remove configmap/stuck in default, which is no longer in the manifests: not now") {
		t.Errorf("left %v, error %v", left, err)
	}
	b.want(t, nil, []string{"removed configmap/goes in default, which is no longer in the manifests"})
}
