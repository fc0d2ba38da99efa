package detect

import (
	"path"
	"slices"

	"github.com/crdctl/crdctl/internal/detect/repo"
)

// readHelpers decides which generators write beside the types: those whose files are there, and those that a call of
// gen_helpers would run once tags ask for them.
func (d *discovery) readHelpers() {
	shared, sharedAt := d.callOf("gen_helpers")
	var names, usual, sources []string
	for _, h := range helpers {
		files := d.filesOf(h.tool)
		if h.shared {
			usual = append(usual, h.name)
		}
		switch {
		case len(files) > 0:
			names = append(names, h.name)
			sources = append(sources, files[0].Path)
			d.found.made = append(d.found.made, h.name)
		case h.shared && shared:
			names = append(names, h.name)
		}
		for _, f := range files {
			if path.Base(f.Path) != h.file {
				d.unread(f.Path, 0, "made by %s under another name than %s, the only one that crdctl writes; take the generator out of generators, or delete the file", h.tool, h.file)
			}
		}
	}
	if !slices.Equal(names, usual) {
		d.found.raw.Generators = names
		if names == nil {
			d.found.raw.Generators = []string{}
			sources = []string{"no generated file of theirs"}
		}
		if shared && len(d.found.made) == 0 {
			sources = []string{sharedAt}
		}
		d.set("generators", flow(names), joined(sources))
	}
	d.passedBy(names)
	d.leaveToControllerGen(names)
	d.exclude(names)
}

func joined(all []string) string {
	if len(all) > 3 {
		all = append(slices.Clone(all[:3]), "…")
	}
	s := ""
	for i, a := range all {
		if i > 0 {
			s += ", "
		}
		s += a
	}
	return s
}

func (d *discovery) filesOf(tool string) []*repo.GoFile {
	var all []*repo.GoFile
	for _, f := range d.Files {
		if f.Generator == tool && slices.ContainsFunc(d.found.raw.APIs, func(r string) bool { return repo.Below(r, f.Dir) }) {
			all = append(all, f)
		}
	}
	return all
}

// exclude passes over the packages that have tags and no generated file while others have one, and says so: they may be new.
func (d *discovery) exclude(names []string) {
	kept := map[string]bool{} // folders that have generated files, or that a tree needs
	for _, f := range d.Files {
		if f.Generator != "" {
			kept[f.Dir] = true
		}
	}
	for _, t := range d.trees {
		packages := slices.Clone(t.packages)
		if t.apply != nil {
			packages = append(packages, t.apply.packages...)
		}
		for _, p := range packages {
			if dir, ok := d.Modules.Dir(p); ok {
				kept[dir] = true
			}
		}
	}
	done := map[string]bool{}
	for _, h := range helpers {
		// Without a defaulting function there is nothing for defaulter-gen to write, and the like for conversions and
		// validations: a missing file of theirs says nothing.
		if !slices.Contains(names, h.name) || len(d.filesOf(h.tool)) == 0 {
			continue
		}
		dirs, place := d.tagged(h.name, d.found.raw.APIs)
		for _, dir := range dirs {
			if done[dir] || d.madeBy(dir, h.tool) || d.passedByIn(dir, h.name) {
				continue
			}
			if kept[dir] {
				if h.name == "register" || h.name == "deepcopy" && !d.madeBy(dir, "controller-gen") {
					d.unread(place[dir].File, place[dir].Line, "asks for %s and has no %s; crdctl makes one, so take the tag out if it is not to", h.tool, h.file)
				}
				continue
			}
			done[dir] = true
			holds := func(other string) bool { return other != dir && repo.Below(dir, other) && kept[other] }
			var inside bool
			for k := range kept {
				inside = inside || holds(k)
			}
			if inside {
				d.unread(place[dir].File, place[dir].Line, "asks for %s and has no generated file, but packages below it have; take the tag out, or generate it too", h.tool)
				continue
			}
			d.found.raw.Exclude = append(d.found.raw.Exclude, dir)
			d.set("exclude", dir, repo.At(place[dir].File, place[dir].Line)+" has a tag, and nothing was generated")
			d.unread(place[dir].File, place[dir].Line, "asks for %s and has no generated file where others have one; it is skipped, take %s out of exclude if it is new", h.tool, dir)
		}
	}
	slices.Sort(d.found.raw.Exclude)
}

// leaveToControllerGen keeps deepcopy-gen from the packages whose deep copies controller-gen made, whatever their tags say:
// both tools write to one file, and the file there says whose it is.
func (d *discovery) leaveToControllerGen(names []string) {
	const name = "deepcopy"
	if !slices.Contains(names, name) {
		return
	}
	dirs, _ := d.tagged(name, d.found.raw.APIs)
	for _, dir := range dirs {
		i := slices.IndexFunc(d.ByDir[dir], func(f *repo.GoFile) bool { return f.Generator == controllerGen && path.Base(f.Path) == helpers[0].file })
		if i < 0 || d.passedByIn(dir, name) {
			continue
		}
		if d.found.raw.ExcludeFrom == nil {
			d.found.raw.ExcludeFrom = map[string][]string{}
		}
		d.found.raw.ExcludeFrom[name] = append(d.found.raw.ExcludeFrom[name], dir)
		d.set("excludeFrom."+name, dir, d.ByDir[dir][i].Path+" is controller-gen's")
	}
}
