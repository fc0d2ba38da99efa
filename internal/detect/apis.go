// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
)

// helper is a generator that writes next to the types.
type helper struct {
	name, tool, file string
	// shared is set for those that kube_codegen.sh's gen_helpers runs.
	shared bool
}

// helpers are in the order of the settings.
var helpers = []helper{
	{"deepcopy", "deepcopy-gen", "zz_generated.deepcopy.go", true},
	{"validation", "validation-gen", "zz_generated.validations.go", true},
	{"defaulter", "defaulter-gen", "zz_generated.defaults.go", true},
	{"conversion", "conversion-gen", "zz_generated.conversion.go", true},
	{"register", "register-gen", "zz_generated.register.go", false},
	{"prerelease-lifecycle", "prerelease-lifecycle-gen", "zz_generated.prerelease-lifecycle.go", false},
}

// apiDir are names that say that API packages are below.
var apiDir = []string{"api", "apis", "apisx"}

// genericDir are names of directories that hold everything; API packages are looked for in the one below.
var genericDir = []string{".", "pkg", "internal", "src", "staging", "cmd"}

// roots are the directories that API packages are in, each with the place that shows it.
type roots map[string]string

// add adds the root of an API package.
func (r roots) add(dir, source string) {
	if root := apiRoot(dir); r[root] == "" {
		r[root] = source
	}
}

// readAPIs finds the directories that the API packages of the generated tree are in.
func (d *discovery) readAPIs() {
	found := roots{}
	for _, t := range d.trees {
		for _, p := range t.packages {
			if dir, ok := d.Modules.Dir(p); ok && d.Exists(dir) {
				found.add(dir, t.scheme.At(`"`+p+`"`))
			}
		}
	}
	for _, f := range d.Files {
		if slices.ContainsFunc(helpers, func(h helper) bool { return h.tool == f.Generator }) {
			found.add(f.Dir, f.Path)
		}
	}
	generated := len(found) > 0
	groups, _ := d.groupsOf(helpers[0].tool)
	for _, c := range slices.Concat(d.calls(helpers[0].tool), groups) { // its file may be missing
		dirs, _ := d.inputsOfCall(c)
		for _, dir := range dirs {
			if generated && slices.ContainsFunc(d.ByDir[dir], func(f *repo.GoFile) bool { return f.Tags[helpers[0].name] > 0 }) {
				found.add(dir, c.at())
			}
		}
	}
	d.setAPIs(found)
}

// ofOthers reports whether the types of a tree are all of other repositories.
func (d *discovery) ofOthers(t *clientTree) bool {
	return len(t.packages) > 0 && !slices.ContainsFunc(t.packages, func(p string) bool { _, ok := d.Modules.Dir(p); return ok })
}

// setAPIs sets the roots that are not in another one.
func (d *discovery) setAPIs(found roots) {
	var sources []string
	all := slices.Sorted(maps.Keys(found))
	for _, root := range all {
		if !slices.ContainsFunc(all, func(other string) bool { return other != root && text.Below(other, root) }) {
			d.Settings.APIs = append(d.Settings.APIs, root)
			sources = append(sources, found[root])
		}
	}
	if len(all) > 0 {
		d.Set("apis", strings.Join(sources, ", "))
	}
}

// apiRoot is the directory in which the neighbours of an API package are looked for: the one whose name says so, or the one
// above group and version.
func apiRoot(dir string) string {
	parts := strings.Split(dir, "/")
	if i := slices.IndexFunc(parts, func(part string) bool { return slices.Contains(apiDir, part) }); i >= 0 {
		return path.Join(parts[:i+1]...)
	}
	if !repo.Versioned(dir) || dir == path.Base(dir) {
		return dir
	}
	group := path.Dir(dir)
	if above := path.Dir(group); !slices.Contains(genericDir, path.Base(above)) {
		return above
	}
	return group
}

// tagged are the directories below some others whose files ask for a generator, each with the place of the first tag, sorted.
func (d *discovery) tagged(generator string, below []string) (dirs []string, place map[string]string) {
	place = map[string]string{}
	for _, f := range d.Files {
		line, ok := f.Tags[generator]
		if ok && place[f.Dir] == "" && slices.ContainsFunc(below, func(r string) bool { return text.Below(r, f.Dir) }) {
			place[f.Dir] = repo.At(f.Path, line)
		}
	}
	return slices.Sorted(maps.Keys(place)), place
}
