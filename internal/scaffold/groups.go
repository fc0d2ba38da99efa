// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"path"
	"slices"
)

// Groups are the groups of the APIs, in their order.
func (p *Project) Groups() []*Group {
	var groups []*Group
	for _, a := range p.APIs {
		i := slices.IndexFunc(groups, func(g *Group) bool { return g.Name == a.Group })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &Group{
				Name: a.Group, Folder: a.GroupFolder(), Package: path.Join(p.Root(), "pkg/apis", a.GroupFolder()),
				GoName: a.GroupGoName(), GoNameTag: a.GroupGoNameTag(),
			})
		}
		g := groups[i]
		j := slices.IndexFunc(g.Versions, func(v *Version) bool { return v.Name == a.Version })
		if j < 0 {
			j = len(g.Versions)
			dir := path.Join("pkg/apis", g.Folder, a.Version)
			g.Versions = append(g.Versions, &Version{Group: g, Name: a.Version, Dir: dir, Package: path.Join(p.Root(), dir)})
		}
		g.Versions[j].APIs = append(g.Versions[j].APIs, a)
	}
	return groups
}

// Versions are the packages of APIs, group by group.
func (p *Project) Versions() []*Version {
	var all []*Version
	for _, g := range p.Groups() {
		all = append(all, g.Versions...)
	}
	return all
}

// Controllers are the APIs that have a controller: one version of a kind.
func (p *Project) Controllers() []*API {
	return slices.DeleteFunc(slices.Clone(p.APIs), func(a *API) bool { return a.Controller == "" })
}

// Stored reports whether an API is the version of its kind in which objects are stored, where the kind has several.
func (p *Project) Stored(a *API) bool {
	kinds := p.Kinds(a.Group, a.Kind)
	return len(kinds) > 1 && p.Hub(a) == a
}

// PackageDir is the directory of a version of a group, whether the project has it already or not.
func (p *Project) PackageDir(group, version string) string {
	a := &API{APIOptions: APIOptions{Group: group}}
	a.Folder = p.freeFolder(a)
	return path.Join("pkg/apis", a.GroupFolder(), version)
}

// Hub is the version of an API's kind in which objects are stored: the one that says so, or else the first.
func (p *Project) Hub(a *API) *API {
	kinds := p.Kinds(a.Group, a.Kind)
	return kinds[max(0, slices.IndexFunc(kinds, func(a *API) bool { return a.Storage }))]
}

// PluralExceptions are those that the client generators need.
func (p *Project) PluralExceptions() map[string]string {
	exceptions := map[string]string{}
	for _, a := range p.APIs {
		if kind, plural, needed := a.PluralException(); needed {
			exceptions[kind] = plural
		}
	}
	return exceptions
}

// GroupOf is the group of an API.
func (p *Project) GroupOf(a *API) *Group {
	groups := p.Groups()
	return groups[slices.IndexFunc(groups, func(g *Group) bool { return g.Name == a.Group })]
}

// VersionOf is the package of an API.
func (p *Project) VersionOf(a *API) *Version {
	versions := p.GroupOf(a).Versions
	return versions[slices.IndexFunc(versions, func(v *Version) bool { return v.Name == a.Version })]
}

func (p *Project) groupParts() []part {
	var parts []part
	for _, g := range p.Groups() {
		parts = append(parts, part{Project: p, Group: g})
	}
	return parts
}

func (p *Project) versionParts() []part {
	var parts []part
	for _, v := range p.Versions() {
		parts = append(parts, part{Project: p, Group: v.Group, Version: v})
	}
	return parts
}
