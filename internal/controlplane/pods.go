// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// runPods stands in for scheduler and kubelet: pending pods become Running and Ready, or Succeeded when they
// are not to be restarted. They get no node, so that their deletion is immediate.
func runPods(ctx context.Context, client kubernetes.Interface, pods coreinformers.PodInformer) (run func(), err error) {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](pollInterval, time.Second))
	enqueue := func(o any) {
		if pod, ok := o.(*corev1.Pod); ok && waits(pod) {
			queue.Add(cache.MetaObjectToName(pod))
		}
	}
	informer := pods.Informer()
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: func(_, o any) { enqueue(o) }})
	if err != nil {
		return nil, err
	}
	sync := func(name cache.ObjectName) error {
		pod, err := pods.Lister().Pods(name.Namespace).Get(name.Name)
		if err == nil && waits(pod) {
			pod = pod.DeepCopy()
			pod.Status = startedStatus(pod, metav1.Now())
			_, err = client.CoreV1().Pods(name.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
		}
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	worker := func(context.Context) {
		for {
			name, closing := queue.Get()
			if closing {
				return
			}
			if err := sync(name); err != nil {
				klog.V(2).ErrorS(err, "Pod status", "pod", name)
				queue.AddRateLimited(name)
			} else {
				queue.Forget(name)
			}
			queue.Done(name)
		}
	}
	return func() {
		defer context.AfterFunc(ctx, queue.ShutDown)() // which ends the worker
		wait.UntilWithContext(ctx, worker, time.Second)
	}, nil
}

// waits reports whether a kubelet would take the pod on. Scheduling gates hold a pod back in a cluster too.
func waits(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && len(pod.Spec.SchedulingGates) == 0 &&
		(pod.Status.Phase == corev1.PodPending || pod.Status.Phase == "")
}
