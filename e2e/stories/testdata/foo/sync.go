package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"example.com/foo/pkg/apis/samplecontroller/v1alpha1"
)

// sync makes the Deployment of one Foo as the Foo asks for it, and says in the status what became of it. Objects of the
// caches are shared, and copied before they are changed.
func (c *controller) sync(ctx context.Context, key cache.ObjectName) error {
	logger := klog.FromContext(ctx)
	foo, err := c.foos.Foos(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		logger.Info("Foo is gone; its Deployment is left to the garbage collector")
		return nil
	}
	if err != nil {
		return err
	}
	if foo.DeletionTimestamp != nil {
		logger.Info("Foo is being deleted; its Deployment goes first")
		return nil // a foreground deletion waits for the Deployment, and a new one would keep it waiting
	}
	logger.Info("Processing Foo", "resourceVersion", foo.ResourceVersion, "deploymentName", foo.Spec.DeploymentName)
	deployment, err := c.deploymentOf(ctx, foo)
	if err != nil {
		return err
	}
	if foo.Status.AvailableReplicas != deployment.Status.AvailableReplicas {
		foo = foo.DeepCopy()
		foo.Status.AvailableReplicas = deployment.Status.AvailableReplicas
		if foo, err = c.client.SamplecontrollerV1alpha1().Foos(foo.Namespace).UpdateStatus(ctx, foo, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	c.recorder.Event(foo, corev1.EventTypeNormal, "Synced", "Foo synced successfully")
	logger.Info("Successfully synced", "availableReplicas", deployment.Status.AvailableReplicas)
	return nil
}

// deploymentOf returns the Deployment of a Foo, made or resized where it must be, and refuses one that is not the Foo's.
func (c *controller) deploymentOf(ctx context.Context, foo *v1alpha1.Foo) (*appsv1.Deployment, error) {
	logger, client := klog.FromContext(ctx), c.kube.AppsV1().Deployments(foo.Namespace)
	deployment, err := c.deployments.Deployments(foo.Namespace).Get(foo.Spec.DeploymentName)
	if apierrors.IsNotFound(err) {
		logger.Info("Creating the Deployment", "deployment", foo.Spec.DeploymentName)
		return client.Create(ctx, newDeployment(foo), metav1.CreateOptions{})
	}
	if err != nil {
		return nil, err
	}
	if !metav1.IsControlledBy(deployment, foo) {
		problem := fmt.Sprintf("deployment %s exists and is not controlled by this Foo; delete it or give the Foo another deploymentName", deployment.Name)
		c.recorder.Event(foo, corev1.EventTypeWarning, "ErrResourceExists", problem)
		return nil, fmt.Errorf("foo %s: %s", foo.Name, problem)
	}
	wanted := foo.Spec.Replicas
	if wanted == nil || deployment.Spec.Replicas != nil && *wanted == *deployment.Spec.Replicas {
		return deployment, nil
	}
	logger.Info("Resizing the Deployment", "deployment", deployment.Name, "replicas", *wanted)
	deployment = deployment.DeepCopy()
	deployment.Spec.Replicas = wanted
	return client.Update(ctx, deployment, metav1.UpdateOptions{})
}

// newDeployment is the Deployment that a Foo asks for. As the Foo owns it, it is collected when the Foo is deleted.
func newDeployment(foo *v1alpha1.Foo) *appsv1.Deployment {
	labels := map[string]string{"app": "nginx", "foo": foo.Name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Name: foo.Spec.DeploymentName, Namespace: foo.Namespace, Labels: labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(foo, fooKind)},
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: foo.Spec.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "nginx", Image: "nginx:1.29"}}},
			},
		},
	}
}
