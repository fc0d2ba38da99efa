package detect

import (
	"path"
	"slices"
	"strings"
)

// passedBy finds the packages that ask for a generator in vain: a script names the generator's packages one by one, and
// they are not among them. Tags are often copied with a doc.go, and kube_codegen.sh alone goes by them.
func (d *discovery) passedBy(names []string) {
	if gathers, _ := d.callOf("gen_helpers"); gathers {
		return
	}
	for _, h := range helpers {
		if !slices.Contains(names, h.name) {
			continue
		}
		inputs, source, ok := d.inputsOf(h.tool)
		if !ok {
			continue
		}
		dirs, _ := d.tagged(h.name, d.found.raw.APIs)
		for _, dir := range dirs {
			if slices.Contains(inputs, dir) || d.madeBy(dir, h.tool) || d.Exists(path.Join(dir, h.file)) {
				continue
			}
			if d.found.raw.ExcludeFrom == nil {
				d.found.raw.ExcludeFrom = map[string][]string{}
			}
			d.found.raw.ExcludeFrom[h.name] = append(d.found.raw.ExcludeFrom[h.name], dir)
			d.set("excludeFrom."+h.name, dir, source)
			d.note(file(source), line(source), "%s is not run on %s, which has its tag; take that out of excludeFrom if it is meant", h.tool, dir)
		}
	}
}

// inputsOf are the folders that scripts name to a generator, if they can all be read.
func (d *discovery) inputsOf(tool string) (dirs []string, source string, ok bool) {
	for _, c := range d.calls(tool) {
		for _, arg := range c.args {
			dir, found := d.Modules.Dir(arg)
			if !found || !d.Exists(dir) {
				dir, found = d.local(c, arg)
			}
			if !found || strings.Contains(arg, "...") {
				return nil, "", false
			}
			dirs = append(dirs, dir)
		}
		if source == "" {
			source = c.at()
		}
	}
	return dirs, source, len(dirs) > 0
}

// passedByIn reports whether a generator skips a directory.
func (d *discovery) passedByIn(dir, generator string) bool {
	return slices.Contains(d.found.raw.ExcludeFrom[generator], dir)
}
