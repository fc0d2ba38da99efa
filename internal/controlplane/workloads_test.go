package controlplane

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: podSpec("")}
}

func podSpec(restart corev1.RestartPolicy) corev1.PodSpec {
	privileged := true // as common clusters allow it
	return corev1.PodSpec{RestartPolicy: restart, Containers: []corev1.Container{{
		Name: "main", Image: "example.com/image", SecurityContext: &corev1.SecurityContext{Privileged: &privileged},
	}}}
}

func expectPhase(ctx context.Context, client kubernetes.Interface, namespace, name string, want corev1.PodPhase) error {
	p, err := client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	if err == nil && p.Status.Phase != want {
		err = fmt.Errorf("pod %s is %s, want %s", name, p.Status.Phase, want)
	}
	return err
}

func TestDeploymentBecomesAvailable(t *testing.T) {
	t.Parallel()
	_, client := sharedPlane(t)
	namespace := newNamespace(t, client)
	createDeployment(t, client, namespace)
	eventually(t, "deployment", func(ctx context.Context) error {
		d, err := client.AppsV1().Deployments(namespace).Get(ctx, "web", metav1.GetOptions{})
		if err == nil && d.Status.AvailableReplicas != 2 {
			err = fmt.Errorf("available replicas %d, want 2", d.Status.AvailableReplicas)
		}
		return err
	})
}

// createDeployment creates "web", two pods with the label app=web.
func createDeployment(t *testing.T, client kubernetes.Interface, namespace string) {
	t.Helper()
	replicas, labels := int32(2), map[string]string{"app": "web"}
	_, err := client.AppsV1().Deployments(namespace).Create(t.Context(), &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec("")},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
}

func TestStatefulSetBecomesReady(t *testing.T) {
	t.Parallel()
	_, client := sharedPlane(t)
	api := client.AppsV1().StatefulSets(newNamespace(t, client))
	replicas, labels := int32(2), map[string]string{"app": "db"}
	_, err := api.Create(t.Context(), &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "db"}, Spec: appsv1.StatefulSetSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec("")},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, "stateful set", func(ctx context.Context) error {
		s, err := api.Get(ctx, "db", metav1.GetOptions{})
		if err == nil && s.Status.ReadyReplicas != replicas {
			err = fmt.Errorf("ready replicas %d, want %d", s.Status.ReadyReplicas, replicas)
		}
		return err
	})
}

func TestJobCompletes(t *testing.T) {
	t.Parallel()
	_, client := sharedPlane(t)
	api := client.BatchV1().Jobs(newNamespace(t, client))
	_, err := api.Create(t.Context(), &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "once"},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: podSpec(corev1.RestartPolicyNever)}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, "job", func(ctx context.Context) error {
		j, err := api.Get(ctx, "once", metav1.GetOptions{})
		if err == nil && j.Status.CompletionTime == nil {
			err = fmt.Errorf("no completion time; status %+v", j.Status)
		}
		return err
	})
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
	eventually(t, "owned object", func(ctx context.Context) error {
		_, err := api.Get(ctx, owned.Name, metav1.GetOptions{})
		return expectNotFound(err)
	})
}

func TestNamespaceEmptiesItself(t *testing.T) {
	t.Parallel()
	_, client := sharedPlane(t)
	namespace := newNamespace(t, client)
	if _, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod("inside"), metav1.CreateOptions{}); apierrors.IsForbidden(err) {
		eventually(t, "service account of a new namespace", func(ctx context.Context) error {
			_, err := client.CoreV1().Pods(namespace).Create(ctx, pod("inside"), metav1.CreateOptions{})
			return err
		})
	} else if err != nil {
		t.Fatal(err)
	}
	require.NoError(t, client.CoreV1().Namespaces().Delete(t.Context(), namespace, metav1.DeleteOptions{}))
	eventually(t, "namespace", func(ctx context.Context) error {
		_, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		return expectNotFound(err)
	})
}

func expectNotFound(err error) error {
	if err == nil {
		return fmt.Errorf("still there")
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// TestDefaultRoles covers creation of the roles and the aggregation of one from others.
func TestDefaultRoles(t *testing.T) {
	t.Parallel()
	_, client := sharedPlane(t)
	eventually(t, "role view", func(ctx context.Context) error {
		role, err := client.RbacV1().ClusterRoles().Get(ctx, "view", metav1.GetOptions{})
		if err == nil && len(role.Rules) == 0 {
			err = fmt.Errorf("it has no rules")
		}
		return err
	})
	eventually(t, "role binding in kube-system", func(ctx context.Context) error {
		_, err := client.RbacV1().RoleBindings("kube-system").Get(ctx, "system:controller:bootstrap-signer", metav1.GetOptions{})
		return err
	})
	eventually(t, "priority class", func(ctx context.Context) error {
		_, err := client.SchedulingV1().PriorityClasses().Get(ctx, "system-cluster-critical", metav1.GetOptions{})
		return err
	})
}

func TestDaemonSetHasAPodForTheNode(t *testing.T) {
	t.Parallel()
	_, client := sharedPlane(t)
	api := client.AppsV1().DaemonSets(newNamespace(t, client))
	labels := map[string]string{"app": "agent"}
	_, err := api.Create(t.Context(), &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "agent"}, Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec("")},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, "daemon set", func(ctx context.Context) error {
		d, err := api.Get(ctx, "agent", metav1.GetOptions{})
		if err == nil && (d.Status.NumberAvailable != 1 || d.Status.DesiredNumberScheduled != 1) {
			err = fmt.Errorf("status %+v, want 1 pod available", d.Status)
		}
		return err
	})
}

func TestCronJobMakesJobs(t *testing.T) {
	t.Parallel()
	_, client := sharedPlane(t)
	namespace := newNamespace(t, client)
	api := client.BatchV1().CronJobs(namespace)
	job, err := api.Create(t.Context(), &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "often"}, Spec: batchv1.CronJobSpec{
		Schedule:    "* * * * *",
		JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: podSpec(corev1.RestartPolicyNever)}}},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	// One that was last on schedule a while ago is late, and needs no minute to pass.
	eventually(t, "status of the cron job", func(ctx context.Context) error {
		long := metav1.NewTime(time.Now().Add(-10 * time.Minute))
		job.Status.LastScheduleTime = &long
		if _, err = api.UpdateStatus(ctx, job, metav1.UpdateOptions{}); err != nil {
			job, _ = api.Get(ctx, "often", metav1.GetOptions{})
		}
		return err
	})
	eventually(t, "job of the cron job", func(ctx context.Context) error {
		jobs, err := client.BatchV1().Jobs(namespace).List(ctx, metav1.ListOptions{})
		if err == nil && (len(jobs.Items) == 0 || jobs.Items[0].Status.Succeeded != 1) {
			err = fmt.Errorf("%d jobs, and the first has not succeeded", len(jobs.Items))
		}
		return err
	})
}
