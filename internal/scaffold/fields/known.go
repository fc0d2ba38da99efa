package fields

import (
	"maps"
	"reflect"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
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

func ownNames() []string { return slices.Sorted(maps.Keys(own)) }

// natural are the packages that are imported by the name that they have.
var natural = map[string]bool{"intstr": true, "resource": true, "runtime": true}

// knownTypes are own, and the types of core/v1. Those are found from its kinds by reflection, so that they are those of
// the Kubernetes that is linked: a list would have to be kept.
var knownTypes = sync.OnceValue(func() map[string]*known {
	all := maps.Clone(own)
	scheme := corev1Scheme()
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
			case reflect.Struct, reflect.Map:
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
	for name := range corev1Kinds() {
		delete(all, "corev1."+name)
	}
	return all
})

func corev1Scheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		panic(err) // core/v1 does not go with its own apimachinery
	}
	return scheme
}

// corev1Kinds are the types of core/v1 that are objects of their own, and no fields of others.
var corev1Kinds = sync.OnceValue(func() map[string]bool {
	kinds := map[string]bool{}
	for name, t := range corev1Scheme().KnownTypes(corev1.SchemeGroupVersion) {
		if _, ok := t.FieldByName("TypeMeta"); ok {
			kinds[name] = true
		}
	}
	return kinds
})

// Imports are the packages that the types of the fields come from, sorted, beside metav1, which every API needs.
func (s *Set) Imports() []Import {
	paths := map[string]Import{}
	s.all(func(f *Field) {
		if k := f.typ.known; k != nil && k.alias != "metav1" {
			path := k.goType.PkgPath()
			paths[path] = Import{Alias: k.alias, Path: path}
			if natural[k.alias] {
				paths[path] = Import{Path: path}
			}
		}
	})
	var all []Import
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		all = append(all, paths[path])
	}
	return all
}
