// SPDX-License-Identifier: Apache-2.0

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

// family is what kind of value a type has in JSON, which decides the rules that fit it.
type family string

const (
	word        family = "string"
	boolean     family = "bool"
	number      family = "integer"
	duration    family = "duration"
	instant     family = "time"
	quantity    family = "quantity"
	intOrString family = "int or string"
	anything    family = "any object"
	structure   family = "object"    // of this project
	foreign     family = "structure" // of Kubernetes
	kind        family = "kind"      // of Kubernetes, whose objects are not fields of others
)

// known is a type that has a name in the language.
type known struct {
	alias  string // of the package in names such as corev1.Pod
	goType reflect.Type
	family family
}

// builtin are the types that are known by name: those that need no import, and some of packages whose other types make no sense as fields.
var builtin = map[string]*known{
	"string":                {"", reflect.TypeFor[string](), word},
	"bool":                  {"", reflect.TypeFor[bool](), boolean},
	"int32":                 {"", reflect.TypeFor[int32](), number},
	"int64":                 {"", reflect.TypeFor[int64](), number},
	"object":                {"", reflect.TypeFor[map[string]any](), structure},
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

// coreFamilies are those of the types of core/v1 by their kinds in Go; there are no others.
var coreFamilies = map[reflect.Kind]family{reflect.Struct: foreign, reflect.Map: foreign, reflect.String: word}

// knownTypes are builtin, and the types of core/v1. Those are found from its kinds by reflection, so that they are those of
// the Kubernetes that is linked: a list would have to be kept. Kinds are among them, so that errors can tell why they are refused.
var knownTypes = sync.OnceValue(func() map[string]*known {
	all := maps.Clone(builtin)
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
		if of := coreFamilies[t.Kind()]; t.PkgPath() == pkg && of != "" {
			all["corev1."+t.Name()] = &known{"corev1", t, of}
		}
		switch t.Kind() {
		case reflect.Struct:
			if _, ok := t.FieldByName("TypeMeta"); ok && t.PkgPath() == pkg {
				all["corev1."+t.Name()].family = kind
			}
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

// Import is a package that the fields' types come from. The alias is empty where the package's own name is used.
type Import struct{ Alias, Path string }

// Imports are the packages that the types of the fields come from, sorted, without metav1, which every API needs.
func (s *Set) Imports() []Import {
	aliases := map[string]string{}
	s.all(func(f *Field) {
		if f.typ.alias != "" && f.typ.alias != "metav1" {
			aliases[f.typ.goType.PkgPath()] = f.typ.alias
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
