// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"maps"
	"path"
	"slices"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var withResource = lazyregexp.New(`\b(\w+)\.SchemeGroupVersion\.WithResource\(`)

// readInformers finds the listers and informers of each tree: the factory of the informers and its interfaces import the clientset, and
// the informers import the listers.
func (d *discovery) readInformers() {
	claimed := map[string]bool{}   // directories of listers
	reasons := map[string]string{} // by the directory of informers that are not of a tree
	var trees []string
	read := map[string]bool{} // the directories
	for _, f := range d.Files {
		if !d.factory(f) || read[f.Dir] {
			continue
		}
		read[f.Dir] = true
		t, why := d.treeOf(f)
		if why != "" {
			reasons[f.Dir] = why
			continue
		}
		d.takeInformers(t, f)
		trees = append(trees, f.Dir)
		claimed[t.listers] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(reasons)) {
		d.leaveBelow(dir, "informer", reasons[dir], trees...)
	}
	for _, f := range d.Files {
		if f.Generator != "lister-gen" || path.Base(f.Path) != "expansion_generated.go" {
			continue
		}
		if dir := path.Dir(path.Dir(f.Dir)); !claimed[dir] {
			for other := range claimed {
				if other != "" && text.Below(dir, other) {
					dir = f.Dir // not those of a tree
				}
			}
			claimed[dir] = true
			d.leaveBelow(dir, "lister", "listers without informers; crdctl generates both (watch: true) or none, so these stay unchanged")
		}
	}
}

// treeOf is the client tree whose informers a factory is of, or why they are of none that crdctl generates.
func (d *discovery) treeOf(factory *repo.GoFile) (t *clientTree, why string) {
	dir := factory.Dir
	i := slices.IndexFunc(d.trees, func(t *clientTree) bool {
		return slices.ContainsFunc(slices.Concat(d.ByDir[dir], d.ByDir[path.Join(dir, "internalinterfaces")]), func(g *repo.GoFile) bool {
			return g.Generator == "informer-gen" && g.Uses(func(p string) bool { return p == t.self })
		})
	})
	switch {
	case i < 0:
		return nil, "informers without a clientset; crdctl generates informers only next to their clientset, so these stay unchanged"
	case path.Base(dir) == "internalversion":
		return nil, "informers of an internal clientset, which crdctl does not generate; these stay unchanged"
	case path.Base(dir) != "externalversions" && factory.LineWith("package externalversions\n") > 0:
		return nil, "informers that were moved out of a directory externalversions; these stay unchanged"
	case d.trees[i].informers != "":
		return nil, "a second tree of informers for " + d.trees[i].versioned + "; these stay unchanged"
	}
	return d.trees[i], ""
}

// takeInformers reads from the files next to a factory where informers and listers of a tree are, and what they watch.
func (d *discovery) takeInformers(t *clientTree, factory *repo.GoFile) {
	t.informers, t.informerFile = path.Dir(factory.Dir), factory
	if t.singleDirectory = path.Base(factory.Dir) != "externalversions"; t.singleDirectory {
		t.informers = factory.Dir
	}
	for _, g := range d.Files {
		if g.Generator != "informer-gen" || !text.Below(factory.Dir, g.Dir) {
			continue
		}
		for _, in := range g.Imports() {
			if dir, ok := d.Modules.Dir(in); ok && d.madeBy(dir, "lister-gen") {
				t.listers = path.Dir(path.Dir(dir))
			}
		}
		if g.Path == path.Join(factory.Dir, "generic.go") {
			t.watched = importsNamed(g, withResource, g.Data)
		}
	}
	if t.listers == "" {
		d.Ask(factory.Path, "informers without listers; set watch: true for both, or watch: false for none")
	}
}

// factory reports whether a file is that of the factory of informers, or generic.go next to it, which shows the tree where the other is missing.
func (d *discovery) factory(f *repo.GoFile) bool {
	name := path.Base(f.Path)
	return f.Generator == "informer-gen" && (name == "factory.go" ||
		name == "generic.go" && f.LineWith(") ForResource(resource schema.GroupVersionResource) ") > 0 && !d.Exists(path.Join(f.Dir, "factory.go")))
}

// madeBy reports whether a generator wrote files of a directory.
func (d *discovery) madeBy(dir, generator string) bool {
	return slices.ContainsFunc(d.ByDir[dir], func(f *repo.GoFile) bool { return f.Generator == generator })
}

// importsNamed are the import paths that a pattern's first group names in a part of a file.
func importsNamed(f *repo.GoFile, pattern *lazyregexp.Regexp, part []byte) (all []string) {
	for _, m := range pattern.FindAllSubmatch(part, -1) {
		if in, ok := f.Imports()[string(m[1])]; ok {
			all = append(all, in)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// watchPackages are the packages with listers where they are not all of the tree's. A package whose clients cannot
// list has none either way, and so makes no difference.
func (t *clientTree) watchPackages() []string {
	lists := func(p string) bool { return t.hasClient(p, "\tList(ctx ", "\tGet(ctx ") } // a lister would be made
	if t.informers == "" || len(t.watched) == 0 || !t.differs(t.watched, lists) {
		return nil
	}
	// In the clientset's order.
	all := slices.DeleteFunc(slices.Clone(t.packages), func(p string) bool { return !slices.Contains(t.watched, p) })
	for _, p := range t.watched {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
