// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

// fleetLease is short, so that tests need not wait long, and long enough for a machine that is busy.
const fleetLease = "--lease-duration=5s"

// fleet is some replicas of one controller, for a kind that is the fleet's alone, on a control plane that others use too.
type fleet struct {
	*world
	name       string // of the controller, and the plural of its kind
	dir        string // of the control plane
	kubeconfig string
	client     kubernetes.Interface
	objects    dynamic.NamespaceableResourceInterface
	hook       *replicaHook
	args       []string
	keys       []string
	revision   int64
	replicas   map[string]*fleetReplica
}

// newFleet installs the kind and makes objects of it: some in each of as many namespaces.
func newFleet(t *testing.T, dir, name string, namespaces, each int, args ...string) *fleet {
	t.Helper()
	f := &fleet{world: newLoneWorld(t), name: name, dir: dir, kubeconfig: filepath.Join(dir, ".crdctl/kubeconfig"), hook: newReplicaHook(t), replicas: map[string]*fleetReplica{}}
	f.client = clientFor(t, f.kubeconfig)
	objects, err := dynamic.NewForConfig(configFor(t, f.kubeconfig))
	f.check(err)
	f.objects = objects.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: name})
	crd := name + "." + "example.com"
	file := filepath.Join(f.dir, name+".yaml")
	f.write(file, fmt.Sprintf(exampleCRD, name, "Widget"+name))
	f.kubectl(f.dir, "apply", "-f", file)
	f.kubectl(f.dir, "wait", "--for=condition=Established", "crd/"+crd, "--timeout=60s")
	f.args = append([]string{"run", "--builtin", "--kubeconfig", f.kubeconfig, "--crd", crd, "--name", name, "--metrics", "127.0.0.1:0", fleetLease}, args...)
	for i := range namespaces {
		namespace := fmt.Sprintf("%s-%d", name, i)
		_, err := f.client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
		f.check(err)
		for j := range each {
			object := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "example.com/v1", "kind": "Widget" + name, "metadata": map[string]any{"name": fmt.Sprintf("w-%d", j)},
				"spec": map[string]any{"revision": int64(0)},
			}}
			f.until("the new kind takes objects", func() bool {
				_, err := f.objects.Namespace(namespace).Create(t.Context(), object, metav1.CreateOptions{})
				return err == nil || apierrors.IsAlreadyExists(err)
			})
			f.keys = append(f.keys, namespace+"/"+object.GetName())
		}
	}
	return f
}

// exampleCRD takes the plural and the kind.
const exampleCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]s.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: %[2]s, plural: %[1]s}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// change writes the spec of the objects, all of them if none are named.
func (f *fleet) change(keys ...string) {
	f.Helper()
	if f.revision++; len(keys) == 0 {
		keys = f.keys
	}
	patch := []byte(fmt.Sprintf(`{"spec":{"revision":%d}}`, f.revision))
	var writers sync.WaitGroup
	for part := range slices.Chunk(keys, (len(keys)+3)/4) {
		writers.Go(func() {
			for _, key := range part {
				namespace, name, _ := strings.Cut(key, "/")
				_, err := f.objects.Namespace(namespace).Patch(f.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{})
				assert.NoError(f, err, "change %s", key)
			}
		})
	}
	writers.Wait()
}

// settled waits until each object's status is about its spec.
func (f *fleet) settled() {
	f.Helper()
	var behind []string
	defer func() {
		if f.Failed() && len(behind) > 0 {
			f.Logf("not reconciled: %v", behind)
		}
	}()
	f.until("all objects are reconciled", func() bool {
		list, err := f.objects.List(f.Context(), metav1.ListOptions{})
		f.check(err)
		behind = nil
		for _, o := range list.Items {
			wanted, _, _ := unstructured.NestedInt64(o.Object, "spec", "revision")
			found, ok, _ := unstructured.NestedInt64(o.Object, "status", "revision")
			if !ok || wanted != found {
				behind = append(behind, o.GetNamespace()+"/"+o.GetName())
			}
		}
		return len(behind) == 0
	})
}

// holders are those of the leases of the shards: the replica's name, or "" for none, by the lease's.
func (f *fleet) holders() map[string]string {
	f.Helper()
	list, err := f.client.CoordinationV1().Leases("default").List(f.Context(), metav1.ListOptions{LabelSelector: "crdctl.dev/loop=" + f.name + ",!crdctl.dev/loop-member"})
	f.check(err)
	holders := map[string]string{}
	for _, lease := range list.Items {
		if len(list.Items) == 1 || strings.Contains(lease.Name, "-shard-") {
			holders[lease.Name] = holderOf(&lease)
		}
	}
	return holders
}

func holderOf(lease *coordinationv1.Lease) string {
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// watchStatuses collects the numbers of the calls whose answers were written, until the test ends.
func (f *fleet) watchStatuses() (written func(call int) bool) {
	f.Helper()
	ctx, cancel := context.WithCancel(f.Context())
	list, err := f.objects.List(ctx, metav1.ListOptions{})
	f.check(err)
	w, err := f.objects.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	f.check(err)
	var mu sync.Mutex
	calls := map[int64]bool{}
	var reader sync.WaitGroup
	reader.Go(func() {
		for event := range w.ResultChan() {
			if o, ok := event.Object.(*unstructured.Unstructured); ok {
				call, _, _ := unstructured.NestedInt64(o.Object, "status", "call")
				mu.Lock()
				calls[call] = true
				mu.Unlock()
			}
		}
	})
	f.Cleanup(func() { cancel(); w.Stop(); reader.Wait() })
	return func(call int) bool {
		mu.Lock()
		defer mu.Unlock()
		return calls[int64(call)]
	}
}

// names are those of the replicas that are alive, in order.
func (f *fleet) names() []string { return slices.Sorted(maps.Keys(f.replicas)) }
