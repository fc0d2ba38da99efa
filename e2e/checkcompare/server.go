// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

var crds = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// tryServer installs the older side in an API server, has it store the objects that the API server's code has something against, installs the
// newer side, and asks what became of them.
func (c *change) tryServer(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 200, 200
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	all := client.Resource(crds)
	if err := gone(ctx, all, c.old.Name); err != nil {
		return err
	}
	installed, err := all.Create(ctx, plainCRD(c.old), metav1.CreateOptions{})
	if err != nil {
		c.server = append(c.server, "refuses the older CRD: "+generic(err.Error()))
		return nil
	}
	defer func() { _ = gone(context.WithoutCancel(ctx), all, c.old.Name) }()
	if err := within(ctx, func(ctx context.Context) (bool, error) {
		installed, err = all.Get(ctx, c.old.Name, metav1.GetOptions{})
		return err == nil && established(installed), err
	}); err != nil {
		return err
	}
	var stored []*unstructured.Unstructured
	for i, w := range c.objects {
		if w.object == nil || len(stored) == 5 {
			continue
		}
		u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(w.object)}
		u.SetName(fmt.Sprintf("example-%d", i))
		u.SetResourceVersion("")
		kept, err := create(ctx, c.client(client, u), u)
		if err != nil {
			c.server = append(c.server, fmt.Sprintf("object %d was refused before the change: %s", i, generic(err.Error())))
			continue
		}
		stored = append(stored, kept)
	}
	next := plainCRD(c.now)
	next.SetResourceVersion(installed.GetResourceVersion())
	if _, err := all.Update(ctx, next, metav1.UpdateOptions{}); err != nil {
		c.server = append(c.server, "refuses the change: "+generic(err.Error()))
		return nil
	}
	for _, was := range stored {
		what := ""
		err := within(ctx, func(ctx context.Context) (bool, error) {
			what = fate(ctx, c.client(client, was), was)
			return what != "", nil
		})
		if what == "" && errors.Is(err, context.DeadlineExceeded) {
			what = "nothing changed"
		} else if err != nil {
			return err
		}
		c.server = append(c.server, was.GetName()+": "+what)
	}
	return nil
}

func (c *change) client(all dynamic.Interface, u *unstructured.Unstructured) dynamic.ResourceInterface {
	kind := all.Resource(u.GroupVersionKind().GroupVersion().WithResource(c.old.Spec.Names.Plural))
	if c.old.Spec.Scope == apiextv1.ClusterScoped {
		return kind
	}
	return kind.Namespace(u.GetNamespace())
}

// plainCRD is a CRD without a conversion webhook, which is not served here.
func plainCRD(crd *apiextv1.CustomResourceDefinition) *unstructured.Unstructured {
	crd = crd.DeepCopy()
	crd.Spec.Conversion, crd.Status = nil, apiextv1.CustomResourceDefinitionStatus{}
	crd.Labels = nil // some are templates
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(crd)
	if err != nil {
		panic(err) // it came out of YAML
	}
	return &unstructured.Unstructured{Object: object}
}

// create stores an object, its status included. The first of a kind may have to wait.
func create(ctx context.Context, all dynamic.ResourceInterface, u *unstructured.Unstructured) (kept *unstructured.Unstructured, err error) {
	if problem := within(ctx, func(ctx context.Context) (bool, error) {
		kept, err = all.Create(ctx, u, metav1.CreateOptions{})
		return !apierrors.IsNotFound(err), nil
	}); problem != nil || err != nil {
		return nil, cmpError(err, problem)
	}
	if status, ok := u.Object["status"]; ok && !reflect.DeepEqual(kept.Object["status"], status) {
		kept.Object["status"] = status
		if kept, err = all.UpdateStatus(ctx, kept, metav1.UpdateOptions{}); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

func cmpError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// fate is what became of a stored object; empty if nothing did, or not yet.
func fate(ctx context.Context, all dynamic.ResourceInterface, was *unstructured.Unstructured) string {
	is, err := all.Get(ctx, was.GetName(), metav1.GetOptions{})
	if ctx.Err() != nil {
		return ""
	}
	if err != nil {
		return "cannot be read: " + generic(err.Error())
	}
	for _, part := range slices.Sorted(maps.Keys(was.Object)) {
		if part != "metadata" && !reflect.DeepEqual(was.Object[part], is.Object[part]) {
			return "is read differently at " + firstDifference(part, was.Object[part], is.Object[part])
		}
	}
	again := was.DeepCopy()
	again.SetName(was.GetName() + "-again")
	again.SetResourceVersion("")
	again.SetUID("")
	if _, err := all.Create(ctx, again, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil && ctx.Err() == nil {
		said := "create refused: " + generic(err.Error())
		patch := []byte(`{"metadata":{"annotations":{"crdctl.dev/changed":"true"}}}`)
		if _, err := all.Patch(ctx, was.GetName(), types.MergePatchType, patch, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
			said += "; metadata update refused, too"
		}
		return said
	}
	return ""
}

// gone deletes a CRD, if there is one, and waits for its end.
func gone(ctx context.Context, all dynamic.ResourceInterface, name string) error {
	return within(ctx, func(ctx context.Context) (bool, error) {
		err := all.Delete(ctx, name, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
}

func established(crd *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
	for _, c := range conditions {
		if condition, ok := c.(map[string]any); ok && condition["type"] == "Established" && condition["status"] == "True" {
			return true
		}
	}
	return false
}

// within waits for what an API server does in its own time.
func within(ctx context.Context, done wait.ConditionWithContextFunc) error {
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 10*time.Second, true, done)
}
