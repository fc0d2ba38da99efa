package detect

import (
	"path"
	"regexp"
	"slices"

	"github.com/crdctl/crdctl/internal/detect/repo"
)

var withResource = regexp.MustCompile(`\b(\w+)\.SchemeGroupVersion\.WithResource\(`)

// readInformers finds the listers and informers of each tree: the factory of the informers imports the clientset, and the informers
// import the listers.
func (d *discovery) readInformers() {
	claimed := map[string]bool{}
	for _, f := range d.Files {
		if f.Generator != "informer-gen" || path.Base(f.Path) != "factory.go" {
			continue
		}
		t := d.treeImportedBy(f)
		switch {
		case t == nil:
			d.unread(f.Path, 0, "informers of no clientset here; crdctl makes informers next to their clientset only, so these stay as they are")
			continue
		case path.Base(f.Dir) != "externalversions":
			d.unread(f.Path, 0, "informers not below a folder externalversions, which crdctl always makes; these stay as they are")
			continue
		case t.informers != "":
			d.unread(f.Path, 0, "a second tree of informers for %s; these stay as they are", t.versioned)
			continue
		}
		t.informers, t.informerFile = path.Dir(f.Dir), f
		for _, g := range d.Files {
			if g.Generator != "informer-gen" || !repo.Below(f.Dir, g.Dir) {
				continue
			}
			for _, in := range g.Imports() {
				if dir, ok := d.Modules.Dir(in.Path); ok && d.madeBy(dir, "lister-gen") {
					t.listers = path.Dir(path.Dir(dir))
				}
			}
			if g.Path == path.Join(f.Dir, "generic.go") {
				t.watched = packagesOf(g, withResource)
			}
		}
		if t.listers == "" {
			d.unread(f.Path, 0, "informers without listers; write watch: true for both, or watch: false for none")
		}
		claimed[t.listers] = true
	}
	d.strayListers(claimed)
}

// strayListers says which listers belong to no informers.
func (d *discovery) strayListers(claimed map[string]bool) {
	said := map[string]bool{}
	for _, f := range d.Files {
		if f.Generator != "lister-gen" || path.Base(f.Path) != "expansion_generated.go" {
			continue
		}
		dir := path.Dir(path.Dir(f.Dir))
		if !claimed[dir] && !said[dir] {
			said[dir] = true
			d.unread(f.Path, 0, "listers without informers; crdctl makes both (watch: true) or none, so these stay as they are")
		}
	}
}

func (d *discovery) treeImportedBy(f *repo.GoFile) *clientTree {
	for _, in := range f.Imports() {
		for _, t := range d.trees {
			if in.Path == t.self {
				return t
			}
		}
	}
	return nil
}

// madeBy tells whether a generator wrote files of a folder.
func (d *discovery) madeBy(dir, generator string) bool {
	return slices.ContainsFunc(d.ByDir[dir], func(f *repo.GoFile) bool { return f.Generator == generator })
}

// packagesOf are the import paths that a pattern's first group names in a file.
func packagesOf(f *repo.GoFile, pattern *regexp.Regexp) []string {
	return importsNamed(f, pattern, f.Data)
}

// importsNamed is packagesOf for a part of the file.
func importsNamed(f *repo.GoFile, pattern *regexp.Regexp, part []byte) []string {
	var all []string
	for _, m := range pattern.FindAllSubmatch(part, -1) {
		if in, ok := f.Imports()[string(m[1])]; ok && !slices.Contains(all, in.Path) {
			all = append(all, in.Path)
		}
	}
	slices.Sort(all)
	return all
}

// watchPackages are the packages with listers where they are not all of the tree's. A package whose clients cannot
// list has none either way, and so is no difference.
func (t *clientTree) watchPackages() []string {
	if t.informers == "" || len(t.watched) == 0 {
		return nil
	}
	differs := slices.ContainsFunc(t.watched, func(p string) bool { return !slices.Contains(t.packages, p) }) ||
		slices.ContainsFunc(t.packages, func(p string) bool { return !slices.Contains(t.watched, p) && t.lists(p) })
	if !differs {
		return nil
	}
	var all []string
	for _, p := range t.packages { // in the clientset's order
		if slices.Contains(t.watched, p) {
			all = append(all, p)
		}
	}
	for _, p := range t.watched {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
