// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// startedStatus is the status of a pod whose containers all started at now, and ended well when the pod is
// one that ends.
func startedStatus(pod *corev1.Pod, now metav1.Time) corev1.PodStatus {
	ends := pod.Spec.RestartPolicy != corev1.RestartPolicyAlways
	status := *pod.Status.DeepCopy()
	status.Phase, status.StartTime = corev1.PodRunning, &now
	status.PodIP, status.PodIPs = loopback().String(), []corev1.PodIP{{IP: loopback().String()}}
	ready := corev1.ConditionTrue
	if ends {
		status.Phase, ready = corev1.PodSucceeded, corev1.ConditionFalse
	}
	status.Conditions = withConditions(status.Conditions, now, map[corev1.PodConditionType]corev1.ConditionStatus{
		corev1.PodScheduled:    corev1.ConditionTrue,
		corev1.PodInitialized:  corev1.ConditionTrue,
		corev1.ContainersReady: ready,
		corev1.PodReady:        ready,
	})
	status.InitContainerStatuses, status.ContainerStatuses = nil, nil
	for _, c := range pod.Spec.InitContainers {
		sidecar := c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
		status.InitContainerStatuses = append(status.InitContainerStatuses, containerStatus(&c, now, ends || !sidecar))
	}
	for _, c := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, containerStatus(&c, now, ends))
	}
	return status
}

// withConditions keeps the conditions that others set, such as those of readiness gates.
func withConditions(have []corev1.PodCondition, now metav1.Time, want map[corev1.PodConditionType]corev1.ConditionStatus) []corev1.PodCondition {
	var kept []corev1.PodCondition
	for _, c := range have {
		if _, ours := want[c.Type]; !ours {
			kept = append(kept, c)
		}
	}
	for _, t := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		c := corev1.PodCondition{Type: t, Status: want[t], LastTransitionTime: now}
		if c.Status == corev1.ConditionFalse {
			c.Reason = "PodCompleted"
		}
		kept = append(kept, c)
	}
	return kept
}

func containerStatus(c *corev1.Container, now metav1.Time, ended bool) corev1.ContainerStatus {
	started := !ended
	status := corev1.ContainerStatus{Name: c.Name, Image: c.Image, ImageID: c.Image, Ready: started, Started: &started}
	if ended {
		status.State.Terminated = &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: now, FinishedAt: now}
	} else {
		status.State.Running = &corev1.ContainerStateRunning{StartedAt: now}
	}
	return status
}
