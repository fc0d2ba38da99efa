// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.com/image"}}}}
}

// The controllers of Kubernetes and the stand-in for scheduler and kubelet bring workloads to their end.
func TestWorkloads(t *testing.T) {
	t.Parallel()
	c, client := sharedPlane(t)
	namespace := newNamespace(t, client)
	objects := create(t, c, namespace, "workloads.yaml")
	want := map[string]map[string]int64{
		"Deployment":  {"availableReplicas": 2},
		"StatefulSet": {"readyReplicas": 2},
		"DaemonSet":   {"numberAvailable": 1, "desiredNumberScheduled": 1},
		"Job":         {"succeeded": 1},
	}
	for _, object := range objects {
		fields, ok := want[object.GetKind()]
		if !ok {
			continue
		}
		gvr, _ := meta.UnsafeGuessKindToResource(object.GroupVersionKind())
		require.EventuallyWithT(t, func(t *assert.CollectT) {
			now, err := dynamic.NewForConfigOrDie(c.RESTConfig()).Resource(gvr).Namespace(namespace).Get(context.Background(), object.GetName(), metav1.GetOptions{})
			require.NoError(t, err)
			status, _ := now.Object["status"].(map[string]any)
			for field, value := range fields {
				assert.Equal(t, value, status[field], field)
			}
			if object.GetKind() == "Job" {
				assert.Contains(t, status, "completionTime")
			}
		}, patience, tick, object.GetKind())
	}

	// A cron job that was last on schedule a while ago is late, and needs no minute to pass.
	eventually(t, "status of the cron job", func(ctx context.Context) error {
		job, err := client.BatchV1().CronJobs(namespace).Get(ctx, "test", metav1.GetOptions{})
		if err == nil {
			long := metav1.NewTime(time.Now().Add(-10 * time.Minute))
			job.Status.LastScheduleTime = &long
			_, err = client.BatchV1().CronJobs(namespace).UpdateStatus(ctx, job, metav1.UpdateOptions{})
		}
		return err
	})
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		jobs, err := client.BatchV1().Jobs(namespace).List(context.Background(), metav1.ListOptions{})
		require.NoError(t, err)
		made := 0
		for _, job := range jobs.Items {
			if metav1.GetControllerOf(&job) != nil && job.Status.Succeeded == 1 {
				made++
			}
		}
		assert.Positive(t, made, "jobs of the cron job that succeeded")
	}, patience, tick)
}

func TestOwnedObjectsAreCollected(t *testing.T) {
	t.Parallel()
	_, client := sharedPlane(t)
	api := client.CoreV1().ConfigMaps(newNamespace(t, client))
	owner, err := api.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owned",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}}}}
	_, err = api.Create(t.Context(), owned, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, api.Delete(t.Context(), owner.Name, metav1.DeleteOptions{}))
	eventuallyGone(t, func(ctx context.Context) error {
		_, err := api.Get(ctx, owned.Name, metav1.GetOptions{})
		return err
	})
}

func TestNamespaceEmptiesItself(t *testing.T) {
	t.Parallel()
	_, client := sharedPlane(t)
	namespace := newNamespace(t, client)
	eventually(t, "pod, once its service account exists", func(ctx context.Context) error {
		_, err := client.CoreV1().Pods(namespace).Create(ctx, pod("inside"), metav1.CreateOptions{})
		return err
	})
	require.NoError(t, client.CoreV1().Namespaces().Delete(t.Context(), namespace, metav1.DeleteOptions{}))
	eventuallyGone(t, func(ctx context.Context) error {
		_, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		return err
	})
}

func eventuallyGone(t *testing.T, get func(context.Context) error) {
	t.Helper()
	require.Eventually(t, func() bool { return apierrors.IsNotFound(get(context.Background())) }, patience, tick)
}

// TestDefaultRoles covers creation of the roles and the aggregation of one from others.
func TestDefaultRoles(t *testing.T) {
	t.Parallel()
	_, client := sharedPlane(t)
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		ctx := context.Background()
		role, err := client.RbacV1().ClusterRoles().Get(ctx, "view", metav1.GetOptions{})
		require.NoError(t, err)
		assert.NotEmpty(t, role.Rules)
		_, err = client.RbacV1().RoleBindings("kube-system").Get(ctx, "system:controller:bootstrap-signer", metav1.GetOptions{})
		assert.NoError(t, err)
		_, err = client.SchedulingV1().PriorityClasses().Get(ctx, "system-cluster-critical", metav1.GetOptions{})
		assert.NoError(t, err)
	}, patience, tick)
}
