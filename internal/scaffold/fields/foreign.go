package fields

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// kubernetesTexts are values of string types of Kubernetes whose values are given.
var kubernetesTexts = map[string]string{
	"corev1.PullPolicy": "IfNotPresent", "corev1.Protocol": "TCP", "corev1.RestartPolicy": "Always", "corev1.DNSPolicy": "ClusterFirst",
	"corev1.ServiceType": "ClusterIP", "corev1.PersistentVolumeAccessMode": "ReadWriteOnce", "corev1.ConditionStatus": "True",
	"corev1.TaintEffect": "NoSchedule", "corev1.TolerationOperator": "Exists", "corev1.ResourceName": "cpu", "corev1.SecretType": "Opaque",
	"corev1.NodeSelectorOperator": "Exists", "corev1.URIScheme": "HTTP", "corev1.ServiceAffinity": "None", "corev1.IPFamily": "IPv4",
	"corev1.IPFamilyPolicy": "SingleStack", "corev1.PersistentVolumeMode": "Filesystem", "corev1.UnsatisfiableConstraintAction": "DoNotSchedule",
}

var container = entries{{"name", "example"}, {"image", "nginx:1.29"}}

// kubernetesObjects are values of types of Kubernetes that a person would write with more than what is required.
var kubernetesObjects = map[string]entries{
	"corev1.PodTemplateSpec": {
		{"metadata", entries{{"labels", entries{{"app", "example"}}}}},
		{"spec", entries{{"containers", []any{container}}}},
	},
	"corev1.PodSpec":              {{"containers", []any{container}}},
	"corev1.Container":            container,
	"corev1.EnvVar":               {{"name", "EXAMPLE"}, {"value", "example"}},
	"corev1.LocalObjectReference": {{"name", "example"}},
	"corev1.ObjectReference":      {{"kind", "ConfigMap"}, {"namespace", "default"}, {"name", "example"}},
	"corev1.SecretReference":      {{"name", "example"}, {"namespace", "default"}},
	"corev1.ContainerPort":        {{"name", "http"}, {"containerPort", int64(8080)}, {"protocol", "TCP"}},
	"corev1.ServicePort":          {{"name", "http"}, {"protocol", "TCP"}, {"port", int64(80)}, {"targetPort", int64(8080)}},
	"corev1.ResourceRequirements": {
		{"requests", entries{{"cpu", "100m"}, {"memory", "64Mi"}}},
		{"limits", entries{{"memory", "128Mi"}}},
	},
	"corev1.ResourceList": {{"cpu", "100m"}, {"memory", "64Mi"}},
	"corev1.Toleration":   {{"key", "example"}, {"operator", "Exists"}, {"effect", "NoSchedule"}},
	"corev1.Volume":       {{"name", "example"}, {"emptyDir", entries{}}},
	"metav1.LabelSelector": {
		{"matchLabels", entries{{"app", "example"}}},
	},
	"metav1.Condition": {
		{"type", "Example"}, {"status", "True"}, {"reason", "Example"}, {"message", ""}, {"lastTransitionTime", "2026-01-31T12:00:00Z"},
	},
}

// foreignSample is a value of a type of Kubernetes. The keys of a list's items are counted on.
func (f *Field) foreignSample(number int) any {
	object := slices.Clone(kubernetesObjects[f.typ.base])
	if object == nil {
		object, _ = needed(f.typ.known.goType, nil).(entries)
	}
	if number == 0 {
		return object
	}
	for i, e := range object {
		if !slices.Contains(f.rules.listMapKeys, e.key) {
			continue
		}
		switch v := e.value.(type) {
		case string:
			object[i].value = fmt.Sprintf("%s-%d", v, number+1)
		case int64:
			object[i].value = v + int64(number)
		}
	}
	return object
}

// needed is a value of a type with all fields that JSON always has, which are those that controller-tools requires.
func needed(t reflect.Type, within []reflect.Type) any {
	switch t.Kind() {
	case reflect.Pointer:
		return needed(t.Elem(), within)
	case reflect.String:
		if v, ok := kubernetesTexts["corev1."+t.Name()]; ok {
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
		return entries{{"example", needed(t.Elem(), within)}}
	case reflect.Struct:
	default:
		return int64(1)
	}
	for _, k := range own {
		if k.goType == t && plain[k.family] != nil {
			return plain[k.family]
		}
		if k.goType == t && k.family == instant {
			return "2026-01-31T12:00:00.000000Z"
		}
	}
	out := entries{}
	if slices.Contains(within, t) {
		return out
	}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case options == "inline", f.Anonymous && name == "":
			if inner, ok := needed(f.Type, append(within, t)).(entries); ok && f.Type.Kind() == reflect.Struct {
				out = append(out, inner...)
			}
		case name == "" || name == "-" || strings.Contains(options, "omit"):
		default:
			out = append(out, entry{name, needed(f.Type, append(within, t))})
		}
	}
	return out
}

// keyOfForeign tells whether a type of Kubernetes has a scalar field of the name that every object of it has.
func keyOfForeign(t reflect.Type, key string) bool {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == key && !strings.Contains(options, "omit") {
			return slices.Contains([]reflect.Kind{reflect.String, reflect.Bool, reflect.Int32, reflect.Int64}, f.Type.Kind())
		}
	}
	return false
}
