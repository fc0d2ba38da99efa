// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestStartedStatus(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	for _, test := range []struct {
		restart              corev1.RestartPolicy
		phase                corev1.PodPhase
		ready                corev1.ConditionStatus
		main, setup, sidecar bool // whether it runs on
	}{
		{corev1.RestartPolicyAlways, corev1.PodRunning, corev1.ConditionTrue, true, false, true},
		{corev1.RestartPolicyOnFailure, corev1.PodSucceeded, corev1.ConditionFalse, false, false, false},
		{corev1.RestartPolicyNever, corev1.PodSucceeded, corev1.ConditionFalse, false, false, false},
	} {
		p := pod("p")
		p.Spec.RestartPolicy = test.restart
		p.Spec.InitContainers = []corev1.Container{{Name: "setup"}, {Name: "sidecar", RestartPolicy: &always}}
		p.Status.Conditions = []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionFalse},
			{Type: "example.com/gate", Status: corev1.ConditionTrue},
		}
		got := startedStatus(p, metav1.Now())
		assert.Equal(t, test.phase, got.Phase, "%s: phase", test.restart)
		conditions := map[corev1.PodConditionType]corev1.ConditionStatus{}
		for _, c := range got.Conditions {
			conditions[c.Type] = c.Status
		}
		assert.Equal(t, map[corev1.PodConditionType]corev1.ConditionStatus{
			corev1.PodScheduled: "True", corev1.PodInitialized: "True", corev1.PodReady: test.ready, corev1.ContainersReady: test.ready, "example.com/gate": "True",
		}, conditions, test.restart)
		for i, want := range []bool{test.setup, test.sidecar} {
			assert.Equal(t, want, got.InitContainerStatuses[i].State.Running != nil, "%s: init container %s runs", test.restart, got.InitContainerStatuses[i].Name)
		}
		assert.Equal(t, test.main, got.ContainerStatuses[0].State.Running != nil, "%s: main container runs", test.restart)
	}
}

func TestWaits(t *testing.T) {
	now := metav1.Now()
	for name, test := range map[string]struct {
		change func(*corev1.Pod)
		want   bool
	}{
		"new":      {func(*corev1.Pod) {}, true},
		"pending":  {func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending }, true},
		"running":  {func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }, false},
		"deleting": {func(p *corev1.Pod) { p.DeletionTimestamp = &now }, false},
		"gated":    {func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}} }, false},
	} {
		p := pod("p")
		test.change(p)
		assert.Equal(t, test.want, waits(p), "%s: waits =", name)
	}
}
