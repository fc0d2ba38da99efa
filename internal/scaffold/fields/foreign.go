// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// kubernetesTexts are values of string types of Kubernetes, whose schemas have no enum.
var kubernetesTexts = map[string]string{
	"PullPolicy": "IfNotPresent", "Protocol": "TCP", "RestartPolicy": "Always", "DNSPolicy": "ClusterFirst", "ServiceType": "ClusterIP",
	"PersistentVolumeAccessMode": "ReadWriteOnce", "ConditionStatus": "True", "TaintEffect": "NoSchedule", "TolerationOperator": "Exists",
	"UnsatisfiableConstraintAction": "DoNotSchedule",
}

// kubernetesObjects are values of types of Kubernetes that a person would write with more than what is required.
var kubernetesObjects = map[string]string{ //nolint:gosec // G101: no credentials, but a type that is called SecretReference
	"corev1.PodTemplateSpec":      "{metadata: {labels: {app: example}}, spec: {containers: [{name: example, image: 'nginx:1.29'}]}}",
	"corev1.PodSpec":              "{containers: [{name: example, image: 'nginx:1.29'}]}",
	"corev1.Container":            "{name: example, image: 'nginx:1.29'}",
	"corev1.EnvVar":               "{name: EXAMPLE, value: example}",
	"corev1.LocalObjectReference": "{name: example}",
	"corev1.ObjectReference":      "{kind: ConfigMap, namespace: default, name: example}",
	"corev1.SecretReference":      "{name: example, namespace: default}",
	"corev1.ContainerPort":        "{name: http, containerPort: 8080, protocol: TCP}",
	"corev1.ServicePort":          "{name: http, protocol: TCP, port: 80, targetPort: 8080}",
	"corev1.ResourceRequirements": "{requests: {cpu: 100m, memory: 64Mi}, limits: {memory: 128Mi}}",
	"corev1.ResourceList":         "{cpu: 100m, memory: 64Mi}",
	"corev1.Toleration":           "{key: example, operator: Exists, effect: NoSchedule}",
	"corev1.Volume":               "{name: example, emptyDir: {}}",
	"metav1.LabelSelector":        "{matchLabels: {app: example}}",
	"metav1.Condition":            "{type: Example, status: 'True', reason: Example, message: '', lastTransitionTime: '2026-01-31T12:00:00Z'}",
}

// needed is a value of a type with all fields that JSON always has, which are those that controller-tools requires. Types that it is
// within already are left empty.
func needed(t reflect.Type, within []reflect.Type) any {
	for _, k := range builtin {
		if v, ok := usual[k.family]; ok && k.goType == t {
			return v
		}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return needed(t.Elem(), within)
	case reflect.String:
		if v, ok := kubernetesTexts[t.Name()]; ok {
			return v
		}
		return "example"
	case reflect.Bool:
		return true
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "ZXhhbXBsZQ=="
		}
		return []any{needed(t.Elem(), within)}
	case reflect.Map:
		return map[string]any{"example": needed(t.Elem(), within)}
	case reflect.Struct:
	default:
		return 1
	}
	out := map[string]any{}
	if slices.Contains(within, t) {
		return out
	}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case options == "inline", f.Anonymous && name == "":
			if inner, ok := needed(f.Type, append(within, t)).(map[string]any); ok && f.Type.Kind() == reflect.Struct {
				maps.Copy(out, inner)
			}
		case name == "" || name == "-" || strings.Contains(options, "omit"):
		default:
			out[name] = needed(f.Type, append(within, t))
		}
	}
	return out
}
