package install

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// configAnnotation on the pods has them replaced when what they decide with is another.
const configAnnotation = "crdctl.dev/config"

// stopping is what a replica needs at its end beside the last call of a hook: the last writes, and giving back its leases.
const stopping = 20 * time.Second

// httpName is the name of the port.
const httpName = "http"

// deployment runs the loop in pods that keep to the Pod Security Standard "restricted".
func (o *Options) deployment(c *cargo) *appsv1.Deployment {
	replicas, none, one := int32(o.Replicas), intstr.FromInt32(0), intstr.FromInt32(1)
	yes, grace := true, int64((o.Loop.Timeout+stopping+time.Second-1)/time.Second)
	pod := corev1.PodSpec{
		ServiceAccountName: o.Loop.Name, Affinity: o.affinity(), TerminationGracePeriodSeconds: &grace,
		// A child that a hook leaves behind goes to PID 1, and crdctl reaps only what it started: so the pod's pause container,
		// which reaps all, is to be PID 1.
		ShareProcessNamespace: &yes,
		SecurityContext:       &corev1.PodSecurityContext{RunAsNonRoot: &yes, SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers:            []corev1.Container{o.container(c)},
		// Programs expect to be able to write somewhere, and the rest of the file system is read-only.
		Volumes: []corev1.Volume{{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
	}
	meta := metav1.ObjectMeta{Labels: o.labels()}
	for _, f := range c.folders {
		mode := int32(0o555) // hooks are programs
		pod.Volumes = append(pod.Volumes, corev1.Volume{Name: f.name, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: o.Loop.Name + "-" + f.name}, DefaultMode: &mode,
		}}})
		meta.Annotations = map[string]string{configAnnotation: c.hash()}
	}
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "Deployment"},
		ObjectMeta: o.meta(o.Loop.Name),
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: o.labels()},
			// A new replica is ready before an old one goes: somebody can always take over.
			Strategy: appsv1.DeploymentStrategy{
				Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &one, MaxUnavailable: &none},
			},
			Template: corev1.PodTemplateSpec{ObjectMeta: meta, Spec: pod},
		},
	}
}

func (o *Options) container(c *cargo) corev1.Container {
	yes, no := true, false
	probe := func(path string, delay int32) *corev1.Probe {
		return &corev1.Probe{InitialDelaySeconds: delay, ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString(httpName)}}}
	}
	mounts := []corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}}
	for _, f := range c.folders {
		mounts = append(mounts, corev1.VolumeMount{Name: f.name, MountPath: f.path(""), ReadOnly: true})
	}
	return corev1.Container{
		Name: "controller", Image: o.Image, Args: o.args(c), VolumeMounts: mounts,
		Ports:         []corev1.ContainerPort{{Name: httpName, ContainerPort: httpPort}},
		LivenessProbe: probe("/healthz", 10), ReadinessProbe: probe("/readyz", 0),
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: quantity.MustParse("50m"), corev1.ResourceMemory: quantity.MustParse("128Mi"),
		}},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes, Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
}

// affinity has replicas on different nodes where there are any: a node that is lost takes one with it.
func (o *Options) affinity() *corev1.Affinity {
	if o.Replicas < 2 {
		return nil
	}
	return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
		Weight: 100, PodAffinityTerm: corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: o.labels()}},
	}}}}
}

// disruptionBudget has those who drain nodes leave all replicas but one.
func (o *Options) disruptionBudget() []any {
	if o.Replicas < 2 {
		return nil
	}
	one := intstr.FromInt32(1)
	return []any{&policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: policyv1.SchemeGroupVersion.String(), Kind: "PodDisruptionBudget"},
		ObjectMeta: o.meta(o.Loop.Name),
		Spec:       policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &one, Selector: &metav1.LabelSelector{MatchLabels: o.labels()}},
	}}
}
