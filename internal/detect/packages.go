package detect

import (
	"path"
	"slices"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
)

// readPackages finds which of the APIs the tree is of, and lists its packages where tags would give others.
func (d *discovery) readPackages(t *clientTree, c *config.Client, field func(string) string) {
	var mine []string
	for _, api := range d.found.raw.APIs {
		if slices.ContainsFunc(t.packages, func(p string) bool { dir, ok := d.Modules.Dir(p); return ok && repo.Below(api, dir) }) {
			mine = append(mine, api)
		}
	}
	if len(mine) == 0 {
		mine = d.found.raw.APIs
	}
	dirs, place := d.tagged("client", mine)
	var byTags []string
	for _, dir := range dirs {
		if repo.Versioned(dir) {
			byTags = append(byTags, d.Modules.ImportPath(dir))
		}
	}
	scheme := t.scheme.Path
	if len(mine) < len(d.found.raw.APIs) {
		c.APIs = mine
		d.set(field("apis"), flow(mine), scheme)
	}
	if sameOrder(byTags, t.packages) {
		return
	}
	if one := d.oneInput(t, mine, dirs); one != "" {
		c.OneInputAPI = one
		d.set(field("oneInputAPI"), one, scheme)
		d.passedOver(dirs, place)
		return
	}
	c.Packages = t.packages
	d.set(field("packages"), flow(t.packages), repo.At(scheme, t.scheme.LineWith(`"`+t.packages[0]+`"`)))
	d.passedOver(dirs, place)
}

// oneInput is the folder of a group, or of a version, below the one API folder of a tree, if its tags give the tree's packages.
func (d *discovery) oneInput(t *clientTree, mine, dirs []string) string {
	first, ok := d.Modules.Dir(t.packages[0])
	if !ok || len(mine) != 1 {
		return ""
	}
	for _, folder := range []string{path.Dir(first), first} {
		var byTags []string
		for _, dir := range dirs {
			if repo.Versioned(dir) && repo.Below(folder, dir) {
				byTags = append(byTags, d.Modules.ImportPath(dir))
			}
		}
		if folder != mine[0] && repo.Below(mine[0], folder) && sameOrder(byTags, t.packages) {
			return repo.Rel(mine[0], folder)
		}
	}
	return ""
}

// passedOver says which packages with tags no tree has. Only the first tree says it.
func (d *discovery) passedOver(dirs []string, place map[string]Finding) {
	for _, dir := range dirs {
		p := d.Modules.ImportPath(dir)
		if !repo.Versioned(dir) || d.inTree(p) || d.saidOver[dir] {
			continue
		}
		if d.saidOver == nil {
			d.saidOver = map[string]bool{}
		}
		d.saidOver[dir] = true
		d.unread(place[dir].File, place[dir].Line, "+genclient, and no clientset has the package; it is skipped, so write %s into packages of the client tree that it is to be in, if in any", p)
	}
}

func (d *discovery) inTree(importPath string) bool {
	return slices.ContainsFunc(d.trees, func(t *clientTree) bool { return slices.Contains(t.packages, importPath) })
}

// sameOrder tells whether two lists have the same packages, with the versions of each group in the same order.
// Groups are sorted by the generator.
func sameOrder(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	versions := func(all []string) map[string][]string {
		m := map[string][]string{}
		for _, p := range all {
			m[path.Dir(p)] = append(m[path.Dir(p)], p)
		}
		return m
	}
	inA, inB := versions(a), versions(b)
	for group, v := range inA {
		if !slices.Equal(v, inB[group]) {
			return false
		}
	}
	return true
}
