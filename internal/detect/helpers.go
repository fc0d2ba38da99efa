package detect

import (
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
)

// readHelpers decides which generators write next to the types: those whose files are there, and those that a call of
// gen_helpers would run once tags ask for them.
func (d *discovery) readHelpers() {
	shared := d.callOf("gen_helpers")
	var names, usual, sources []string
	for _, h := range helpers {
		files := d.filesOf(h.tool)
		if h.shared {
			usual = append(usual, h.name)
		}
		asking, _ := d.tagged(h.name, d.found.raw.APIs)
		switch {
		case len(files) > 0 && len(asking) == 0 && shared == "" && d.callOf(h.tool) == "":
			d.notCompared(h.name, h.tool, pathsOf(files), "no tag asks for it, and no script here runs "+h.tool+"; it stays as it is")
			continue
		case len(files) > 0:
			names = append(names, h.name)
			sources = append(sources, files[0].Path)
			d.found.made = append(d.found.made, h.name)
		case h.shared && shared != "":
			names = append(names, h.name)
		}
		for _, f := range files {
			if path.Base(f.Path) != h.file {
				d.unread(f.Path, "made by %s under another name than %s, the only one that crdctl writes; take the generator out of generators, or delete the file", h.tool, h.file)
			}
		}
	}
	if !slices.Equal(names, usual) {
		d.found.raw.Generators = append([]string{}, names...)
		if names == nil {
			sources = []string{"no generated file of theirs"}
		}
		if shared != "" && len(d.found.made) == 0 {
			sources = []string{shared}
		}
		d.set("generators", joined(sources))
	}
	for _, h := range helpers {
		if slices.Contains(names, h.name) && shared == "" {
			d.leaveUnnamed(h)
		}
	}
	if slices.Contains(names, "deepcopy") {
		d.leaveToControllerGen(helpers[0])
	}
	d.exclude(names)
}

func joined(all []string) string {
	if len(all) > 3 {
		all = append(slices.Clone(all[:3]), "…")
	}
	return strings.Join(all, ", ")
}

func (d *discovery) filesOf(tool string) (all []*repo.GoFile) {
	for _, f := range d.Files {
		if f.Generator == tool && slices.ContainsFunc(d.found.raw.APIs, func(r string) bool { return text.Below(r, f.Dir) }) {
			all = append(all, f)
		}
	}
	return all
}

// leaveUnnamed keeps a generator from the packages that ask for it in vain: a script names its packages one by one, and they are not
// among them. Tags are often copied with a doc.go, and kube_codegen.sh alone goes by them.
func (d *discovery) leaveUnnamed(h helper) {
	inputs, source := d.inputsOf(h.tool)
	if len(inputs) == 0 {
		return
	}
	dirs, _ := d.tagged(h.name, d.found.raw.APIs)
	for _, dir := range dirs {
		if !slices.Contains(inputs, dir) && !d.madeBy(dir, h.tool) && !d.Exists(path.Join(dir, h.file)) {
			d.excludeFrom(h.name, dir, source)
			d.note(source, "%s is not run on %s, which has its tag; take that out of excludeFrom if it is meant", h.tool, dir)
		}
	}
}

// leaveToControllerGen keeps deepcopy-gen from the packages whose deep copies controller-gen made, whatever their tags say:
// both tools write to one file, and the file there says whose it is.
func (d *discovery) leaveToControllerGen(h helper) {
	dirs, _ := d.tagged(h.name, d.found.raw.APIs)
	for _, dir := range dirs {
		i := slices.IndexFunc(d.ByDir[dir], func(f *repo.GoFile) bool { return f.Generator == controllerGen && path.Base(f.Path) == h.file })
		if i >= 0 && !slices.Contains(d.found.raw.ExcludeFrom[h.name], dir) {
			d.excludeFrom(h.name, dir, d.ByDir[dir][i].Path+" is controller-gen's")
		}
	}
}

func (d *discovery) excludeFrom(generator, dir, source string) {
	if d.found.raw.ExcludeFrom == nil {
		d.found.raw.ExcludeFrom = map[string][]string{}
	}
	d.found.raw.ExcludeFrom[generator] = append(d.found.raw.ExcludeFrom[generator], dir)
	d.set("excludeFrom."+generator, source)
}

// inputsOf are the directories that scripts name to a generator; none if they cannot all be read.
func (d *discovery) inputsOf(tool string) (dirs []string, source string) {
	for _, c := range d.calls(tool) {
		for _, arg := range c.args {
			dir, found := d.Modules.Dir(arg)
			if !found || !d.Exists(dir) {
				dir, found = d.local(c, arg)
			}
			if !found || strings.Contains(arg, "...") {
				return nil, ""
			}
			dirs = append(dirs, dir)
		}
		if source == "" {
			source = c.at()
		}
	}
	return dirs, source
}

// exclude leaves out the packages that have tags and no generated file while others have one, and reports them: they may be new.
func (d *discovery) exclude(names []string) {
	kept := map[string]bool{} // directories that have generated files, or that a tree needs
	for _, f := range d.Files {
		if f.Generator != "" {
			kept[f.Dir] = true
		}
	}
	for _, t := range d.trees {
		packages := t.packages
		if t.apply != nil {
			packages = slices.Concat(packages, t.apply.packages)
		}
		for _, p := range packages {
			if dir, ok := d.Modules.Dir(p); ok {
				kept[dir] = true
			}
		}
	}
	for _, h := range helpers {
		// Without a defaulting function there is nothing for defaulter-gen to write, and the like for conversions and
		// validations: a missing file of theirs says nothing.
		if !slices.Contains(names, h.name) || len(d.filesOf(h.tool)) == 0 {
			continue
		}
		dirs, place := d.tagged(h.name, d.found.raw.APIs)
		for _, dir := range dirs {
			inside := false
			for other := range kept {
				inside = inside || text.Below(dir, other)
			}
			switch {
			case slices.Contains(d.found.raw.Exclude, dir), d.madeBy(dir, h.tool), slices.Contains(d.found.raw.ExcludeFrom[h.name], dir):
			case kept[dir]:
				if h.name == "register" || h.name == "deepcopy" && !d.madeBy(dir, controllerGen) {
					d.unread(place[dir], "asks for %s and has no %s; crdctl makes one, so take the tag out if it is not to", h.tool, h.file)
				}
			case inside:
				d.unread(place[dir], "asks for %s and has no generated file, but packages below it have; take the tag out, or generate it too", h.tool)
			default:
				d.found.raw.Exclude = append(d.found.raw.Exclude, dir)
				d.set("exclude", place[dir]+" has a tag, and nothing was generated")
				d.unread(place[dir], "asks for %s and has no generated file where others have one; it is skipped, take %s out of exclude if it is new", h.tool, dir)
			}
		}
	}
	slices.Sort(d.found.raw.Exclude)
}
