// SPDX-License-Identifier: Apache-2.0

// Package builtin has the kinds of Kubernetes that client-go knows, with their names in manifests, roles and Go.
//
// It does not ask a cluster, and knows no CRDs.
package builtin

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdctl/crdctl/internal/text"
)

// Resource is a kind of client-go in one version, with the names that its clients, informers and listers have.
type Resource struct {
	Group, Version, Kind string
	Plural               string // of the resource
	Namespaced           bool

	GroupGoName   string // Apps, of the method of the informer factory
	VersionGoName string // V1, of the method below that
	ClientMethod  string // AppsV1, of the method of the clientset
	GoPlural      string // Deployments, of the method of the client
	Types         Import // k8s.io/api/apps/v1 as appsv1
	Listers       Import // k8s.io/client-go/listers/apps/v1 as appslisters

	// Replicated and Available report whether it has spec.replicas and status.availableReplicas.
	Replicated, Available bool
}

// Import is an import of a Go file.
type Import struct{ Alias, Path string }

// String is the kind as --owns takes it.
func (r Resource) String() string {
	return name(schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind})
}

func name(gvk schema.GroupVersionKind) string {
	return cmp.Or(gvk.Group, "core") + "/" + gvk.Version + "/" + gvk.Kind
}

// Find returns a kind by its group, version and name.
func Find(gvk schema.GroupVersionKind) (Resource, bool) {
	r, ok := resources()[name(gvk)]
	return r, ok
}

// Hint returns what a kind that client-go does not have was probably meant to be, as a question: kinds of the same name elsewhere, or
// of a similar name, and where some of these are stable, no others. It is empty if there is none.
func Hint(gvk schema.GroupVersionKind) string {
	all := slices.Sorted(maps.Keys(resources()))
	var kinds, same []string
	for _, full := range all {
		kinds = append(kinds, resources()[full].Kind)
	}
	near := text.DidYouMean(gvk.Kind, kinds)
	for _, full := range all {
		if r := resources()[full]; r.Kind == near || strings.EqualFold(r.Plural, gvk.Kind) {
			same = append(same, full)
		}
	}
	unstable := func(full string) bool { return strings.Contains(full, "alpha") || strings.Contains(full, "beta") }
	if stable := slices.DeleteFunc(slices.Clone(same), unstable); len(stable) > 0 {
		same = stable
	}
	if len(same) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(same, " or ") + "?"
}

// OfType returns the kind of a Go type, by its import path and name.
func OfType(importPath, name string) (Resource, bool) {
	for _, r := range resources() {
		if r.Types.Path == importPath && r.Kind == name {
			return r, true
		}
	}
	return Resource{}, false
}
