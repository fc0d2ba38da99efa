// SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ObjectKind is a kind of objects, as settings and flags name one.
type ObjectKind struct {
	Group, Version, Kind string
	// Plural is the name of the resource, where it was given.
	Plural string
}

// String is the kind as ParseObjectKind reads it, with the core group's name and without the plural.
func (k ObjectKind) String() string {
	return cmp.Or(k.Group, coreGroup) + "/" + k.Version + "/" + k.Kind
}

// APIVersion is the group and the version as manifests have them.
func (k ObjectKind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// GroupVersionKind is the kind as apimachinery names it.
func (k ObjectKind) GroupVersionKind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
}

// coreGroup is what flags may call the group without a name.
const coreGroup = "core"

// ParseObjectKind reads GROUP/VERSION/KIND, where the core group may be left out. The name of the resource may follow after
// an equals sign: there is no other way to know it without a cluster, for kinds that are neither Kubernetes' nor the project's.
func ParseObjectKind(text string) (ObjectKind, error) {
	name, plural, given := strings.Cut(text, "=")
	parts := strings.Split(name, "/")
	if len(parts) == 2 {
		parts = append([]string{coreGroup}, parts...)
	}
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return ObjectKind{}, fmt.Errorf("%q must be GROUP/VERSION/KIND, for example apps/v1/Deployment, or v1/ConfigMap for the core group", text)
	}
	if given && !IsDNSLabel(plural) {
		return ObjectKind{}, fmt.Errorf("%q must have the plural name of the resource after the equals sign, for example example.com/v1/Thing=things", text)
	}
	k := ObjectKind{Group: parts[0], Version: parts[1], Kind: parts[2], Plural: plural}
	if k.Group == coreGroup {
		k.Group = ""
	}
	return k, nil
}
