package detect

import (
	"path"
	"regexp"
	"slices"
)

var withResource = regexp.MustCompile(`\b(\w+)\.SchemeGroupVersion\.WithResource\(`)

// readInformers finds the listers and informers of each tree: the factory of the informers imports the clientset, and the informers
// import the listers.
func (d *discovery) readInformers() {
	claimed := map[string]bool{}
	for _, f := range d.files {
		if f.generator != "informer-gen" || path.Base(f.path) != "factory.go" {
			continue
		}
		t := d.treeImportedBy(f)
		switch {
		case t == nil:
			d.unread(f.path, 0, "informers of no clientset here; crdctl makes informers beside their clientset only, so these stay as they are")
			continue
		case path.Base(f.dir) != "externalversions":
			d.unread(f.path, 0, "informers not below a folder externalversions, which crdctl always makes; these stay as they are")
			continue
		case t.informers != "":
			d.unread(f.path, 0, "a second tree of informers for %s; these stay as they are", t.versioned)
			continue
		}
		t.informers, t.informerFile = path.Dir(f.dir), f
		for _, g := range d.files {
			if g.generator != "informer-gen" || !below(f.dir, g.dir) {
				continue
			}
			for _, in := range g.imports() {
				if dir, ok := d.modules.dir(in.path); ok && d.madeBy(dir, "lister-gen") {
					t.listers = path.Dir(path.Dir(dir))
				}
			}
			if g.path == path.Join(f.dir, "generic.go") {
				t.watched = packagesOf(g, withResource)
			}
		}
		if t.listers == "" {
			d.unread(f.path, 0, "informers without listers; write watch: true for both, or watch: false for none")
		}
		claimed[t.listers] = true
	}
	d.strayListers(claimed)
}

// strayListers says which listers belong to no informers.
func (d *discovery) strayListers(claimed map[string]bool) {
	said := map[string]bool{}
	for _, f := range d.files {
		if f.generator != "lister-gen" || path.Base(f.path) != "expansion_generated.go" {
			continue
		}
		dir := path.Dir(path.Dir(f.dir))
		if !claimed[dir] && !said[dir] {
			said[dir] = true
			d.unread(f.path, 0, "listers without informers; crdctl makes both (watch: true) or none, so these stay as they are")
		}
	}
}

func (d *discovery) treeImportedBy(f *goFile) *clientTree {
	for _, in := range f.imports() {
		for _, t := range d.trees {
			if in.path == t.self {
				return t
			}
		}
	}
	return nil
}

// madeBy tells whether a generator wrote files of a folder.
func (d *discovery) madeBy(dir, generator string) bool {
	return slices.ContainsFunc(d.byDir[dir], func(f *goFile) bool { return f.generator == generator })
}

// packagesOf are the import paths that a pattern's first group names in a file.
func packagesOf(f *goFile, pattern *regexp.Regexp) []string { return importsNamed(f, pattern, f.data) }

// importsNamed is packagesOf for a part of the file.
func importsNamed(f *goFile, pattern *regexp.Regexp, part []byte) []string {
	var all []string
	for _, m := range pattern.FindAllSubmatch(part, -1) {
		if in, ok := f.imports()[string(m[1])]; ok && !slices.Contains(all, in.path) {
			all = append(all, in.path)
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
