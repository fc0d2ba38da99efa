// Package builtin has the kinds of Kubernetes that client-go knows, with their names in manifests, roles and Go.
//
// It does not ask a cluster, and knows no CRDs.
package builtin

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
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
	kind := strings.ToLower(gvk.Kind)
	var same, like []string
	for full, r := range resources() {
		switch other := strings.ToLower(r.Kind); {
		case other == kind || r.Plural == kind:
			same = append(same, full)
		case oneLetterApart(other, kind):
			like = append(like, full)
		}
	}
	if len(same) == 0 {
		same = like
	}
	unstable := func(full string) bool { return strings.Contains(full, "alpha") || strings.Contains(full, "beta") }
	if stable := slices.DeleteFunc(slices.Clone(same), unstable); len(stable) > 0 {
		same = stable
	}
	if len(same) == 0 {
		return ""
	}
	slices.Sort(same)
	return "did you mean " + strings.Join(same, " or ") + "?"
}

// oneLetterApart reports whether two words differ by one letter that is added, missing, exchanged, or swapped with the next.
func oneLetterApart(a, b string) bool {
	without := func(s string, i int) string { return s[:i] + s[i+1:] }
	for i := range a {
		if without(a, i) == b || i < len(b) && without(a, i) == without(b, i) || i+1 < len(b) && without(a, i) == without(b, i+1) {
			return true
		}
	}
	for i := range b {
		if without(b, i) == a {
			return true
		}
	}
	return false
}
