// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"runtime"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// nodeName is the one node of a control plane whose pods run. DaemonSets have a pod for it, and controllers that list
// nodes find one. Nothing is bound to it: a pod with a node is deleted by its kubelet, and here is none.
const nodeName = "crdctl"

// insistOnNode creates the node, and makes it ready. It ends with ctx.
func insistOnNode(ctx context.Context, client kubernetes.Interface) {
	nodes := client.CoreV1().Nodes()
	_ = insist(ctx, func() error {
		_, err := nodes.Create(ctx, node(), metav1.CreateOptions{})
		return err
	})
	_ = insist(ctx, func() error {
		n, err := nodes.Get(ctx, nodeName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		n.Spec.Taints = nil // the API server taints a new node until it is ready
		if n, err = nodes.Update(ctx, n, metav1.UpdateOptions{}); err != nil {
			return err
		}
		n.Status = node().Status
		_, err = nodes.UpdateStatus(ctx, n, metav1.UpdateOptions{})
		return err
	})
}

func node() *corev1.Node {
	now := metav1.Now()
	resources := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("256Gi"), corev1.ResourcePods: resource.MustParse("1000"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: nodeName, Labels: map[string]string{
			corev1.LabelHostname: nodeName, corev1.LabelOSStable: "linux", corev1.LabelArchStable: runtime.GOARCH,
		}},
		Status: corev1.NodeStatus{
			Capacity: resources, Allocatable: resources,
			Addresses:  []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: nodeName}, {Type: corev1.NodeInternalIP, Address: loopback().String()}},
			NodeInfo:   corev1.NodeSystemInfo{KubeletVersion: KubernetesVersion, OperatingSystem: "linux", Architecture: runtime.GOARCH},
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Simulated", Message: "no kubelet: pods are only reported as running", LastHeartbeatTime: now, LastTransitionTime: now}},
		},
	}
}
