// SPDX-License-Identifier: Apache-2.0

// Command view is a controller that does wrong what controllers do wrong, so that a recording of it must show it. What it does
// with a CronTab depends on its name; one with another name it leaves alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// These are what the story changes: without fixed, the status of a CronTab has the time of each reconcile, and with doubled, that makes
// another object, too.
const fixed, doubled = false, false

var crontabs = schema.GroupVersionKind{Group: "stable.example.com", Version: "v1", Kind: "CronTab"}

func newCronTab() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(crontabs)
	return u
}

func main() {
	metricsAddr := flag.String("metrics-bind-address", "0", "where metrics are served")
	options := zap.Options{}
	options.BindFlags(flag.CommandLine)
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&options)))
	mgr, err := ctrl.NewManager(withReconcileIDs(ctrl.GetConfigOrDie()), ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: *metricsAddr},
		Client:  client.Options{Cache: &client.CacheOptions{Unstructured: true}}, // as it reads what has a type
	})
	must(err)
	limited := ctrl.GetConfigOrDie()
	limited.QPS, limited.Burst = rest.DefaultQPS, rest.DefaultBurst
	slow, err := client.New(limited, client.Options{})
	must(err)
	r := &reconciler{Client: mgr.GetClient(), slow: slow, count: map[string]int{}}
	must(ctrl.NewControllerManagedBy(mgr).Named("crontab").For(newCronTab()).Owns(&appsv1.Deployment{}).Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).Complete(r))
	// Its role lacks secrets at first: this one is never synced.
	must(ctrl.NewControllerManagedBy(mgr).Named("needy").For(&corev1.Secret{}).Complete(&idle{}))
	must(mgr.Start(ctrl.SetupSignalHandler()))
}

func must(err error) {
	if err != nil {
		ctrl.Log.Error(err, "cannot start")
		os.Exit(1)
	}
}

type idle struct{}

func (*idle) Reconcile(context.Context, ctrl.Request) (ctrl.Result, error) { return ctrl.Result{}, nil }

type reconciler struct {
	client.Client

	slow client.Client // has the limits of client-go, which controller-runtime lifts

	mu    sync.Mutex
	count map[string]int // reconciles by name
}

func (r *reconciler) nth(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count[name]++
	return r.count[name]
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	u := newCronTab()
	if err := r.Get(ctx, req.NamespacedName, u); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	switch n := r.nth(req.Name); req.Name {
	case "clock": // its own status write makes the next reconcile
		time.Sleep(50 * time.Millisecond)
		if fixed {
			return ctrl.Result{}, nil
		}
		if doubled {
			if err := r.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{GenerateName: "clock-", Namespace: u.GetNamespace()}}); err != nil {
				return ctrl.Result{}, err
			}
		}
		unstructured.SetNestedField(u.Object, time.Now().Format(time.RFC3339Nano), "status", "lastSeen")
		return ctrl.Result{}, client.IgnoreNotFound(ignoreConflict(r.Status().Update(ctx, u)))
	case "patched-clock": // the same by a patch, which says nothing of the version that it was decided on
		time.Sleep(100 * time.Millisecond)
		if fixed {
			return ctrl.Result{}, nil
		}
		patch := client.RawPatch(types.MergePatchType, []byte(`{"status":{"lastSeen":"`+time.Now().Format(time.RFC3339Nano)+`"}}`))
		return ctrl.Result{}, r.Status().Patch(ctx, u, patch)
	case "twice": // an annotation of its own makes it reconcile again
		if u.GetAnnotations()["stable.example.com/seen"] == "yes" {
			return ctrl.Result{}, nil
		}
		u.SetAnnotations(map[string]string{"stable.example.com/seen": "yes"})
		return ctrl.Result{}, r.Update(ctx, u)
	case "drift":
		return r.drift(ctx, u, n)
	case "stamped":
		return ctrl.Result{RequeueAfter: 100 * time.Millisecond}, r.stamped(ctx, u)
	case "fight":
		return ctrl.Result{}, r.deployment(ctx, u, 3)
	case "conflict": // what it writes is old by then: its cache has a newer version
		newer := u.DeepCopy()
		for tries := 0; newer.GetResourceVersion() == u.GetResourceVersion(); tries++ {
			if tries == 100 {
				return ctrl.Result{}, nil // nothing changes it any more
			}
			time.Sleep(20 * time.Millisecond)
			if err := r.Get(ctx, req.NamespacedName, newer); err != nil {
				return ctrl.Result{}, client.IgnoreNotFound(err)
			}
		}
		unstructured.SetNestedField(u.Object, int64(n), "status", "tries")
		return ctrl.Result{}, ignoreConflict(r.Status().Update(ctx, u))
	case "deaf": // its child has an owner reference without controller: true, so that its end is not heard of
		if n > 1 {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, r.configMap(ctx, u, u.GetNamespace(), false)
	case "parent":
		return ctrl.Result{}, r.configMap(ctx, u, u.GetNamespace(), true)
	case "abroad": // its child is in a namespace where the garbage collector does not find the owner; a finalizer holds it back
		if n > 1 {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, r.configMap(ctx, u, "other", true, "example.com/hold")
	case "chatty": // it sends Events itself, where a recorder of client-go would hold most of them back
		for i := 0; n == 1 && i < 40; i++ {
			event := &corev1.Event{
				ObjectMeta: metav1.ObjectMeta{GenerateName: "chatty-", Namespace: u.GetNamespace()}, Type: "Normal", Reason: "StillHere", Message: "it was looked at",
				InvolvedObject: corev1.ObjectReference{APIVersion: u.GetAPIVersion(), Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID()},
			}
			if err := r.Create(ctx, event); err != nil {
				return ctrl.Result{}, err
			}
		}
	case "renamed": // applies the same each time, as another field manager
		if n > 20 {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{RequeueAfter: 50 * time.Millisecond}, r.apply(ctx, u, fmt.Sprint("view-", n))
	case "applied": // the same as one field manager
		if n > 20 {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{RequeueAfter: 50 * time.Millisecond}, r.apply(ctx, u, "view")
	case "hasty": // more at once than its client may send
		var requests sync.WaitGroup
		for i := 0; n == 1 && i < 20; i++ {
			requests.Go(func() {
				_ = r.slow.Get(ctx, types.NamespacedName{Namespace: u.GetNamespace(), Name: fmt.Sprint("hasty-", i)}, &corev1.ConfigMap{}) // there is none
			})
		}
		requests.Wait()
	case "stuck":
		if u.GetDeletionTimestamp() != nil {
			return ctrl.Result{}, errors.New("cleanup: the crane is out of order")
		}
		if controllerutil.AddFinalizer(u, "example.com/cleanup") {
			return ctrl.Result{}, r.Update(ctx, u)
		}
	}
	return ctrl.Result{}, nil
}

// apply sets a field of the spec that has this value already.
func (r *reconciler) apply(ctx context.Context, u *unstructured.Unstructured, manager string) error {
	wanted := newCronTab()
	wanted.SetName(u.GetName())
	wanted.SetNamespace(u.GetNamespace())
	wanted.Object["spec"] = map[string]any{"image": "a"}
	return r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(wanted), client.FieldOwner(manager))
}

func ignoreConflict(err error) error {
	if apierrors.IsConflict(err) {
		return nil
	}
	return err
}

func (r *reconciler) child(u *unstructured.Unstructured, namespace string, controller bool) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: u.GetName(), Namespace: namespace, OwnerReferences: []metav1.OwnerReference{{
		APIVersion: u.GetAPIVersion(), Kind: u.GetKind(), Name: u.GetName(), UID: u.GetUID(), Controller: &controller,
	}}}
}

func (r *reconciler) configMap(ctx context.Context, u *unstructured.Unstructured, namespace string, controller bool, finalizers ...string) error {
	c := &corev1.ConfigMap{ObjectMeta: r.child(u, namespace, controller), Data: map[string]string{"a": "b"}}
	c.Finalizers = finalizers
	err := r.Create(ctx, c)
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// wanted has none of the fields that the API server sets.
func (r *reconciler) wanted(u *unstructured.Unstructured, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": u.GetName()}
	return &appsv1.Deployment{ObjectMeta: r.child(u, u.GetNamespace(), true), Spec: appsv1.DeploymentSpec{
		Paused: true, Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "a"}}}},
	}}
}

// drift compares what is stored with what it sends, which differ for ever.
func (r *reconciler) drift(ctx context.Context, u *unstructured.Unstructured, n int) (ctrl.Result, error) {
	want, have := r.wanted(u, 1), &appsv1.Deployment{}
	err := r.Get(ctx, client.ObjectKeyFromObject(u), have)
	if apierrors.IsNotFound(err) {
		err = r.Create(ctx, want)
	} else if err == nil && !reflect.DeepEqual(have.Spec, want.Spec) {
		have.Spec = want.Spec
		err = ignoreConflict(r.Update(ctx, have))
	}
	if n > 60 {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: 100 * time.Millisecond}, err
}

// stamped insists on one field that has a default, and notes in the Pod template when it did: each of its 20 updates makes a generation.
func (r *reconciler) stamped(ctx context.Context, u *unstructured.Unstructured) error {
	have := &appsv1.Deployment{}
	err := r.Get(ctx, client.ObjectKeyFromObject(u), have)
	if apierrors.IsNotFound(err) {
		return r.Create(ctx, r.wanted(u, 1))
	}
	if err != nil || have.Generation > 20 {
		return err
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(have)
	if err != nil {
		return err
	}
	sent := &unstructured.Unstructured{Object: fields}
	sent.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	pod := fields["spec"].(map[string]any)["template"].(map[string]any)
	pod["metadata"].(map[string]any)["annotations"] = map[string]any{"stable.example.com/stamped": time.Now().Format(time.RFC3339Nano)}
	pod["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)["terminationMessagePolicy"] = ""
	return ignoreConflict(r.Update(ctx, sent))
}

// deployment insists on a number of replicas.
func (r *reconciler) deployment(ctx context.Context, u *unstructured.Unstructured, replicas int32) error {
	have := &appsv1.Deployment{}
	err := r.Get(ctx, client.ObjectKeyFromObject(u), have)
	if apierrors.IsNotFound(err) {
		return r.Create(ctx, r.wanted(u, replicas))
	}
	if err != nil || *have.Spec.Replicas == replicas {
		return err
	}
	have.Spec.Replicas = &replicas
	return r.Update(ctx, have)
}
