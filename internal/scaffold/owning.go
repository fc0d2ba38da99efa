// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"cmp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// What follows is for the templates of a controller that owns objects.

// Local is the kind as the start of a Go name that is not exported.
func (o Owned) Local() string { return lowerFirst(o.Kind) }

// Lister is the field of the controller that has the lister.
func (o Owned) Lister() string { return lowerFirst(o.GoPlural) }

// Resized tells how the number of replicas that the API asks for is written in Go, if it asks for any: "*int32" or "int32".
func (a *API) Resized(o Owned) string {
	if !o.Replicated {
		return ""
	}
	return a.fieldOf("replicas", "*int32", "int32")
}

// Counted tells the type of the status field that has the number of available replicas, if there is one.
func (a *API) Counted(o Owned) string {
	if !o.Available || !a.Status {
		return ""
	}
	return a.fieldOf("status.availableReplicas", "int32", "*int32")
}

// fieldOf is the Go type of a field, if it is one of those that are named.
func (a *API) fieldOf(path string, goTypes ...string) string {
	if t := a.Fields.GoType(path); slices.Contains(goTypes, t) {
		return t
	}
	return ""
}

// NameField is the Go name of the field of the spec that names the owned object, such as deploymentName; "" if there is none.
func (a *API) NameField(o Owned) string {
	name := o.Local() + "Name"
	if a.HasField(name, "string") {
		return goname.Camel(name)
	}
	return ""
}

// OwnsAny reports whether the controller owns one of the kinds.
func (a *API) OwnsAny(kinds ...string) bool {
	return slices.ContainsFunc(a.Owns, func(o Owned) bool { return slices.Contains(kinds, o.Kind) })
}

// OwnsPods reports whether the controller owns pods, or what makes pods.
func (a *API) OwnsPods() bool {
	return a.OwnsAny("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod")
}

// Repairs reports whether there is something owned that the controller brings back to what it should be.
func (a *API) Repairs() bool {
	return slices.ContainsFunc(a.Owns, func(o Owned) bool { return !o.Fixed })
}

// OwnedListers are the packages of the listers of what is owned, each once.
func (a *API) OwnedListers() []Import {
	return a.ownedImports(func(o Owned) Import { return o.Listers })
}

// OwnedTypes are the packages of the types of what is owned, each once; the core group's is in any case.
func (a *API) OwnedTypes() []Import {
	return slices.DeleteFunc(a.ownedImports(func(o Owned) Import { return o.Types }), func(i Import) bool { return i.Alias == "corev1" })
}

func (a *API) ownedImports(of func(Owned) Import) []Import {
	var all []Import
	for _, o := range a.Owns {
		all = append(all, of(o))
	}
	slices.SortFunc(all, func(a, b Import) int { return cmp.Compare(a.Path, b.Path) })
	return slices.Compact(all)
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
