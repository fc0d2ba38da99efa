// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// checkNames refuses names that another kind of the group has.
func (p *Project) checkNames(a *API) error {
	for _, b := range p.APIs {
		if b.Group != a.Group || b.Kind == a.Kind {
			continue
		}
		mine := append([]string{a.Plural, a.Singular}, a.ShortNames...)
		for _, name := range append([]string{b.Plural, b.Singular}, b.ShortNames...) {
			if slices.Contains(mine, name) {
				return fmt.Errorf("%s is already a name of the kind %s of %s; choose others with --plural, --singular and --short-names", name, b.Kind, b.Group)
			}
		}
		if b.Version == a.Version && strings.EqualFold(a.Kind, b.Kind) {
			return fmt.Errorf("--kind %q: its Go types would collide with those of %s in %s; choose another", a.Kind, b.Kind, a.Version)
		}
	}
	return nil
}

// checkTypes refuses names of Go types that another kind has in the same package.
func (p *Project) checkTypes(a *API) error {
	for _, b := range p.APIs {
		if b.Group != a.Group || b.Version != a.Version {
			continue
		}
		theirs := b.types()
		for _, name := range a.types() {
			if slices.Contains(theirs, name) {
				return fmt.Errorf("--kind %q: its Go type %s would be one of %s as well, in the package of %s; choose another kind or other fields", a.Kind, name, b.Kind, a.Version)
			}
		}
	}
	return nil
}

// types are the names of the Go types of a kind, without those that were made from a CRD.
func (a *API) types() []string {
	names := []string{a.Kind, a.Kind + "List"}
	if a.Imported {
		return names
	}
	return append(append(names, a.Kind+"Spec", a.Kind+"Status"), a.Fields.TypeNames()...)
}

// freeFolder is the name of the group's directory where the usual one is another group's: two groups can begin alike.
func (p *Project) freeFolder(a *API) string {
	labels := strings.Split(a.Group, ".")
	for _, b := range p.APIs {
		if b.Group == a.Group {
			return b.Folder
		}
	}
	folder := ""
	for n := 2; slices.ContainsFunc(p.APIs, func(b *API) bool { return b.GroupFolder() == cmp.Or(folder, a.GroupFolder()) }) && n <= len(labels); n++ {
		folder = goPackageName(strings.Join(labels[:n], ""))
	}
	return folder
}

// notControllers are names that files of the package of controllers have, or that Go gives a meaning.
var notControllers = []string{"controller", "doc", "owned", "main", "test"}

// freeController is the kind's singular, with the group's directory before it where another kind has that.
func (p *Project) freeController(a *API) string {
	name := strings.ReplaceAll(a.Singular, "-", "")
	taken := func(name string) bool {
		return slices.Contains(notControllers, name) || slices.ContainsFunc(p.APIs, func(b *API) bool { return b.Controller == name })
	}
	for _, candidate := range []string{name, a.GroupFolder() + name, strings.ReplaceAll(goPackageName(a.Group), ".", "") + name} {
		if !taken(candidate) {
			return candidate
		}
	}
	return name + "controller"
}
