package fieldstest

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/crd/compat"
)

// What is immutable is so for the API server: its own CRD validation takes the rules, wherever they stand and whatever they
// are about.
func TestImmutableIsTaken(t *testing.T) {
	w := newWorld(t, "tags:[]string:immutable", "set:[]string:immutable:listType=set", "limits:map[string]string:immutable",
		"template:corev1.PodTemplateSpec:immutable", "raw:runtime.RawExtension:immutable", "when:metav1.Time:immutable",
		"size:resource.Quantity:immutable", "port:intstr.IntOrString:immutable", "on:bool:immutable", "phase:enum(A,B):immutable:required",
		"wait:metav1.Duration:immutable:nullable", "server:object:immutable", "server.a:string", "servers:[]object:immutable", "servers[].a:string",
		"ports:[]object:listMapKey=name:maxItems=100", "ports[].name:string:required", "ports[].host:string:immutable:maxLength=63",
		"ports[].n:int32:immutable", "pools:map[string]object:maxProperties=100", "pools{}.a:int64:immutable", "pools{}.b.c:int32:immutable",
		"in.for:string:immutable", "status.first:string:immutable")
	if said := w.refused(t, w.sample); said != "" {
		t.Errorf("%s\n%s", said, w.types)
	}
	rules := 0
	for _, v := range w.schema().XValidations {
		if strings.Contains(v.Rule, "has(oldSelf.") {
			rules++
		}
	}
	if rules != 13 { // those that may be missing, in.for as a path
		t.Errorf("%d rules at the spec that keep a field from being removed, want 13:\n%v", rules, w.schema().XValidations)
	}
}

// A rule that the sample breaks is found by the API server's code, so a rule that it keeps was looked at.
func TestRulesAreInTheCRD(t *testing.T) {
	w := newWorld(t, "n:int32:min=2:max=4:default=3", "s:string:minLength=2:maxLength=3:default=abc", "p:string:pattern=^a:b$", "f:string:format=ipv4",
		"e:string:enum=x,y", "m:int32:multipleOf=5", "list:[]string:minItems=1:maxItems=2:listType=set", "d:map[string]string:minProperties=1:maxProperties=2",
		"phase:enum(On,Off)", `c:string:cel="self != 'no';not no"`, "r:string:required")
	for field, values := range map[string][]any{
		"n": {int64(1), int64(5), "3"}, "s": {"a", "abcd"}, "p": {"ab"}, "f": {"x"}, "e": {"z"}, "m": {int64(7)},
		"list": {[]any{}, []any{"a", "b", "c"}, []any{"a", "a"}}, "d": {map[string]any{}, map[string]any{"a": "", "b": "", "c": ""}},
		"phase": {"on"}, "c": {"no"}, "r": {nil}, "unknown": {"x"},
	} {
		for _, v := range values {
			object := w.sample.DeepCopy()
			if v == nil {
				unstructured.RemoveNestedField(object.Object, "spec", field)
			} else if err := unstructured.SetNestedField(object.Object, v, "spec", field); err != nil {
				t.Fatal(err)
			}
			if said := w.refused(t, *object); !strings.Contains(said, "spec."+field) {
				t.Errorf("%s: %v is taken: %q", field, v, said)
			}
		}
	}
	if got := string(w.schema().Properties["n"].Default.Raw); got != "3" {
		t.Errorf("default %s, want 3", got)
	}
	if _, err := compat.Check(t.Context(), nil, w.crd, nil); err != nil {
		t.Error(err)
	}
}

// Types of Kubernetes of every form, each in every place.
func TestKubernetesTypes(t *testing.T) {
	var fields []string
	for name, typ := range map[string]string{
		"probe": "corev1.Probe", "servicePort": "corev1.ServicePort", "envFrom": "corev1.EnvFromSource", "claim": "corev1.PersistentVolumeClaimSpec",
		"spread": "corev1.TopologySpreadConstraint", "owner": "metav1.OwnerReference", "volume": "corev1.Volume", "protocol": "corev1.Protocol",
		"key": "corev1.SecretKeySelector", "toleration": "corev1.Toleration", "resourceList": "corev1.ResourceList",
	} {
		fields = append(fields, name+":"+typ, name+"All:[]"+typ, name+"By:map[string]"+typ, name+"Must:"+typ+":required")
	}
	w := newWorld(t, fields...)
	if said := w.refused(t, w.sample); said != "" {
		t.Errorf("%s\n%s", said, w.read(t, "config/samples/widget.yaml"))
	}
}
