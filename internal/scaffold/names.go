// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"go/token"
	"slices"
	"strings"

	"github.com/gobuffalo/flect"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"

	"github.com/crdctl/crdctl/internal/gen/naming"
)

// GroupFolder is the directory of the group, and the name of its packages in the clients: the group's first label, as a
// Go package name.
func (a *API) GroupFolder() string {
	if a.Folder != "" {
		return a.Folder
	}
	return goPackageName(a.groupLabel())
}

// goPackageName makes a name of a directory and a package of one that may have hyphens or begin with a digit.
func goPackageName(name string) string {
	name = strings.ReplaceAll(name, "-", "")
	if token.IsKeyword(name) || name == "" || name[0] < 'a' || slices.Contains(notFolders, name) {
		return "group" + name
	}
	return name
}

func (a *API) groupLabel() string {
	label, _, _ := strings.Cut(a.Group, ".")
	return label
}

// GroupGoName is the group in the names of Go methods.
func (a *API) GroupGoName() string {
	if tag := a.GroupGoNameTag(); tag != "" {
		return tag
	}
	return upperFirst(a.groupLabel())
}

// GroupGoNameTag is the value of the tag groupGoName, where the generators would not find a Go name by themselves.
func (a *API) GroupGoNameTag() string {
	if a.Folder != "" {
		return upperFirst(a.Folder)
	}
	label := a.groupLabel()
	if label == a.GroupFolder() {
		return ""
	}
	var name strings.Builder
	for word := range strings.SplitSeq(label, "-") {
		name.WriteString(upperFirst(word))
	}
	if !token.IsIdentifier(name.String()) {
		return "Group" + name.String()
	}
	return name.String()
}

// VersionGoName is the version in the names of Go methods.
func (a *API) VersionGoName() string { return upperFirst(a.Version) }

// GoPlural is the plural in Go names: the resource's, with the kind's capitals.
func (a *API) GoPlural() string {
	if rest, ok := strings.CutPrefix(a.Plural, strings.ToLower(a.Kind)); ok {
		return a.Kind + strings.ReplaceAll(rest, "-", "")
	}
	plural := pluralOf(a.Kind)
	if strings.EqualFold(plural, a.Plural) {
		return plural
	}
	return upperFirst(strings.ReplaceAll(a.Plural, "-", ""))
}

// esAfterO are the words that get -es after their -o; flect gives it to all, and no name of a program is a hero.
var esAfterO = []string{"hero", "potato", "tomato", "echo", "veto", "torpedo"}

// pluralOf is the plural of a kind's or a resource's name.
func pluralOf(name string) string {
	plural := flect.Pluralize(name)
	if plural == name+"es" && strings.HasSuffix(name, "o") &&
		!slices.ContainsFunc(esAfterO, func(word string) bool { return strings.HasSuffix(strings.ToLower(name), word) }) {
		return name + "s"
	}
	return plural
}

// PluralException is the entry that makes the client generators use GoPlural, where they would not.
func (a *API) PluralException() (kind, plural string, needed bool) {
	return a.Kind, a.GoPlural(), naming.GoPlural(a.Kind) != a.GoPlural()
}

// Alias is the name under which Go files import the package.
func (a *API) Alias() string { return a.GroupFolder() + a.Version }

// Protected reports whether the group is one that the API server takes CRDs of only with an approval annotation.
func (a *API) Protected() bool {
	return apihelpers.IsProtectedCommunityGroup(a.Group)
}

// Article is the kind with its article.
func (a *API) Article() string {
	if strings.ContainsRune("AEIOU", rune(a.Kind[0])) {
		return "an " + a.Kind
	}
	return "a " + a.Kind
}

// SampleName is the name of the sample object.
func (a *API) SampleName() string { return a.Singular + "-demo" }

// ControllerGoName is the start of the controller's Go names: the kind, with what tells it from one of the same kind before it.
func (a *API) ControllerGoName() string {
	if a.Controller == strings.ReplaceAll(a.Singular, "-", "") {
		return a.Kind
	}
	if before, ok := strings.CutSuffix(a.Controller, strings.ToLower(a.Kind)); ok {
		return upperFirst(before) + a.Kind
	}
	return upperFirst(a.Controller)
}

// Local is the controller's name as the start of Go names that are not exported.
func (a *API) Local() string { return strings.ToLower(a.ControllerGoName()) }
