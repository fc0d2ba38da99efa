package detect

import (
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
)

// helper is a generator that writes beside the types.
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

// apiFolder are names that say that API packages are below.
var apiFolder = []string{"api", "apis", "apisx"}

// genericFolder are names of folders that hold everything; API packages are looked for in the one below.
var genericFolder = []string{".", "pkg", "internal", "src", "staging", "cmd"}

// readAPIs finds the folders that the API packages of the generated tree are in.
func (d *discovery) readAPIs() {
	witness := map[string]string{} // of each root
	take := func(dir, source string) {
		root := apiRoot(dir)
		if _, ok := witness[root]; !ok {
			witness[root] = source
		}
	}
	for _, t := range d.trees {
		for _, p := range t.packages {
			if dir, ok := d.Modules.Dir(p); ok && d.Exists(dir) {
				take(dir, repo.At(t.scheme.Path, t.scheme.LineWith(`"`+p+`"`)))
			}
		}
	}
	for _, f := range d.Files {
		if slices.ContainsFunc(helpers, func(h helper) bool { return h.tool == f.Generator }) {
			take(f.Dir, f.Path)
		}
	}
	var roots []string
	for root := range witness {
		roots = append(roots, root)
	}
	d.setAPIs(roots, witness)
}

// setAPIs takes roots for the settings, without those that are in another one.
func (d *discovery) setAPIs(roots []string, witness map[string]string) {
	slices.Sort(roots)
	apis := topmost(roots)
	var sources []string
	for _, a := range apis {
		sources = append(sources, witness[a])
	}
	if len(apis) == 0 {
		return
	}
	d.found.raw.APIs = apis
	d.set("apis", flow(apis), strings.Join(sources, ", "))
}

// topmost leaves out the folders that are in another one of the list, which is sorted.
func topmost(roots []string) []string {
	var apis []string
	for _, root := range roots {
		if !slices.ContainsFunc(roots, func(other string) bool { return other != root && repo.Below(other, root) }) {
			apis = append(apis, root)
		}
	}
	return apis
}

// apiRoot is the folder in which the neighbours of an API package are looked for: the one whose name says so, or the one
// above group and version.
func apiRoot(dir string) string {
	parts := strings.Split(dir, "/")
	for i, part := range parts {
		if slices.Contains(apiFolder, part) {
			return path.Join(parts[:i+1]...)
		}
	}
	if !repo.Versioned(dir) || dir == path.Base(dir) {
		return dir
	}
	group := path.Dir(dir)
	if above := path.Dir(group); !slices.Contains(genericFolder, path.Base(above)) {
		return above
	}
	return group
}

// tagged are the folders below some others whose files ask for a generator, each with the place of the first tag, sorted.
func (d *discovery) tagged(generator string, roots []string) (dirs []string, place map[string]Finding) {
	place = map[string]Finding{}
	for _, f := range d.Files {
		line, ok := f.Tags[generator]
		if !ok || !slices.ContainsFunc(roots, func(r string) bool { return repo.Below(r, f.Dir) }) {
			continue
		}
		if _, ok := place[f.Dir]; !ok {
			dirs = append(dirs, f.Dir)
			place[f.Dir] = Finding{File: f.Path, Line: line}
		}
	}
	slices.Sort(dirs)
	return dirs, place
}

// flow is a list as YAML writes it in one line.
func flow(all []string) string { return "[" + strings.Join(all, ", ") + "]" }
