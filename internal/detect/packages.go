// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
)

// readPackages finds which of the APIs the tree is of, and lists its packages where tags would give others.
func (d *discovery) readPackages(t *clientTree, c *config.Client, set setter) {
	var mine []string
	for _, api := range d.Settings.APIs {
		if slices.ContainsFunc(t.packages, func(p string) bool { dir, ok := d.Modules.Dir(p); return ok && text.Below(api, dir) }) {
			mine = append(mine, api)
		}
	}
	if len(mine) == 0 {
		mine = d.Settings.APIs
	}
	dirs, place := d.tagged("client", mine)
	if len(mine) < len(d.Settings.APIs) {
		c.APIs = mine
		set("apis", t.scheme.Path)
	}
	if sameOrder(d.byTags(".", dirs), t.packages) {
		return
	}
	packages := slices.Clone(t.packages)
	for _, dir := range dirs {
		if p := d.Modules.ImportPath(dir); repo.Versioned(dir) && !d.hasClients(p) && d.getsClients(c.Dir, dir) {
			packages = append(packages, p) // it is new
		}
	}
	if len(packages) > len(t.packages) {
		given := d.byTags(".", dirs)
		of := func(some []string) []string {
			return slices.DeleteFunc(slices.Clone(given), func(p string) bool { return !slices.Contains(some, p) })
		}
		sorted := sameOrder(of(t.packages), t.packages)
		if sorted {
			packages = of(packages) // a new version may be before an old one
		}
		if !sorted || len(given) != len(packages) {
			c.Packages = packages
			set("packages", t.scheme.At(`"`+t.packages[0]+`"`))
		}
	} else if c.OneInputAPI = d.oneInput(t, mine, dirs); c.OneInputAPI != "" {
		set("oneInputAPI", t.scheme.Path)
	} else {
		c.Packages = t.packages
		set("packages", t.scheme.At(`"`+t.packages[0]+`"`))
	}
	for _, dir := range dirs {
		p := d.Modules.ImportPath(dir)
		if repo.Versioned(dir) && !d.hasClients(p) && !slices.Contains(packages, p) {
			d.Ask(place[dir], "+genclient, but no clientset has the package; it is skipped: to include it, add %s to packages of a client tree", p)
		}
	}
}

// hasClients reports whether a tree has clients of a package.
func (d *discovery) hasClients(importPath string) bool {
	return slices.ContainsFunc(d.trees, func(t *clientTree) bool { return slices.Contains(t.packages, importPath) })
}

// getsClients reports whether gen_client, which goes by tags, writes clients of the package in a directory to a tree.
func (d *discovery) getsClients(tree, dir string) bool {
	return slices.ContainsFunc(d.calls("gen_client"), func(c *call) bool {
		out, one := c.flag("--output-dir"), c.flag("--one-input-api")
		to, _ := d.local(c, out)
		below, _ := d.inputsOfCall(c)
		return out != "" && to == tree && !strings.Contains(one, "$") && slices.ContainsFunc(below, func(b string) bool { return text.Below(path.Join(b, one), dir) })
	})
}

// byTags are the import paths of the packages below a directory that get clients for their tags.
func (d *discovery) byTags(below string, dirs []string) (paths []string) {
	for _, dir := range dirs {
		if repo.Versioned(dir) && text.Below(below, dir) {
			paths = append(paths, d.Modules.ImportPath(dir))
		}
	}
	return paths
}

// oneInput is the directory of a group, or of a version, below the one API directory of a tree, if its tags give the tree's packages.
func (d *discovery) oneInput(t *clientTree, mine, dirs []string) string {
	first, ok := d.Modules.Dir(t.packages[0])
	if !ok || len(mine) != 1 {
		return ""
	}
	for _, dir := range []string{path.Dir(first), first} {
		if dir != mine[0] && text.Below(mine[0], dir) && sameOrder(d.byTags(dir, dirs), t.packages) {
			return repo.Rel(mine[0], dir)
		}
	}
	return ""
}

// sameOrder reports whether two lists have the same packages, with the versions of each group in the same order.
// Groups are sorted by the generator.
func sameOrder(a, b []string) bool {
	byGroup := func(all []string) []string {
		return slices.SortedStableFunc(slices.Values(all), func(x, y string) int { return strings.Compare(path.Dir(x), path.Dir(y)) })
	}
	return slices.Equal(byGroup(a), byGroup(b))
}
