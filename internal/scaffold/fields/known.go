package fields

import (
	"maps"
	"path"
	"reflect"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// known is a type of Kubernetes.
type known struct {
	alias  string // of the package in names such as corev1.Pod
	goType reflect.Type
	family family
}

// own are the types that are known by name, of packages that have many others which make no sense as fields.
var own = map[string]*known{
	"metav1.Duration":       {"metav1", reflect.TypeFor[metav1.Duration](), duration},
	"metav1.Time":           {"metav1", reflect.TypeFor[metav1.Time](), instant},
	"metav1.MicroTime":      {"metav1", reflect.TypeFor[metav1.MicroTime](), instant},
	"metav1.LabelSelector":  {"metav1", reflect.TypeFor[metav1.LabelSelector](), foreign},
	"metav1.Condition":      {"metav1", reflect.TypeFor[metav1.Condition](), foreign},
	"metav1.OwnerReference": {"metav1", reflect.TypeFor[metav1.OwnerReference](), foreign},
	"intstr.IntOrString":    {"intstr", reflect.TypeFor[intstr.IntOrString](), intOrString},
	"resource.Quantity":     {"resource", reflect.TypeFor[resource.Quantity](), quantity},
	"runtime.RawExtension":  {"runtime", reflect.TypeFor[runtime.RawExtension](), anything},
}

// knownTypes are own, and the types of core/v1. Those are found from its kinds by reflection, so that they are those of
// the Kubernetes that is linked: a list would have to be kept. Kinds are among them, so that errors can tell why they are refused.
var knownTypes = sync.OnceValue(func() map[string]*known {
	all := maps.Clone(own)
	scheme := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(scheme)) // core/v1 goes with its own apimachinery
	pkg := reflect.TypeFor[corev1.Pod]().PkgPath()
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		if t.PkgPath() == pkg {
			switch t.Kind() {
			case reflect.Struct:
				all["corev1."+t.Name()] = &known{"corev1", t, foreign}
				if _, ok := t.FieldByName("TypeMeta"); ok {
					all["corev1."+t.Name()].family = kind
				}
			case reflect.Map:
				all["corev1."+t.Name()] = &known{"corev1", t, foreign}
			case reflect.String:
				all["corev1."+t.Name()] = &known{"corev1", t, word}
			}
		}
		switch t.Kind() {
		case reflect.Struct:
			for f := range t.Fields() {
				walk(f.Type)
			}
		case reflect.Map:
			walk(t.Key())
			walk(t.Elem())
		case reflect.Pointer, reflect.Slice, reflect.Array:
			walk(t.Elem())
		}
	}
	for _, t := range scheme.KnownTypes(corev1.SchemeGroupVersion) {
		walk(t)
	}
	return all
})

// Imports are the packages that the types of the fields come from, sorted, beside metav1, which every API needs.
func (s *Set) Imports() []Import {
	aliases := map[string]string{}
	s.all(func(f *Field) {
		if k := f.typ.known; k != nil && k.alias != "metav1" {
			aliases[k.goType.PkgPath()] = k.alias
		}
	})
	var all []Import
	for _, p := range slices.Sorted(maps.Keys(aliases)) {
		alias := aliases[p]
		if alias == path.Base(p) {
			alias = ""
		}
		all = append(all, Import{Alias: alias, Path: p})
	}
	return all
}
