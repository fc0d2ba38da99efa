package discover

import (
	"bytes"
	"path"
	"regexp"
	"slices"

	"github.com/crdctl/crdctl/internal/gen/crd"
)

// manifest is a CustomResourceDefinition that controller-gen or crdctl made.
type manifest struct {
	path, dir, version string
	line               int
	name               string // of the CRD: plural, dot, group
}

var (
	crdKind    = regexp.MustCompile(`(?m)^kind: CustomResourceDefinition\s*$`)
	crdVersion = regexp.MustCompile(`(?m)^\s+controller-gen\.kubebuilder\.io/version: (\S+)\s*$`)
	crdName    = regexp.MustCompile(`(?m)^  name: (\S+)\s*$`)
)

// newManifest reads the top of a YAML file.
func newManifest(rel string, top []byte) (manifest, bool) {
	if !bytes.Contains(top, []byte("controller-gen.kubebuilder.io/version")) || !crdKind.Match(top) {
		return manifest{}, false
	}
	v, n := crdVersion.FindSubmatchIndex(top), crdName.FindSubmatch(top)
	if v == nil || n == nil {
		return manifest{}, false
	}
	return manifest{path: rel, dir: path.Dir(rel), version: string(top[v[2]:v[3]]), line: lineOf(top, v[2]), name: string(n[1])}, true
}

// asMade tells whether the file has the name that controller-gen gives it.
func (m manifest) asMade() bool {
	plural, group, ok := bytes.Cut([]byte(m.name), []byte("."))
	return ok && path.Base(m.path) == string(group)+"_"+string(plural)+".yaml"
}

// readManifests claims a folder of CRDs only where crdctl's own version made all of them: others are patched, wrapped or
// of another version, and would change.
func (d *discovery) readManifests() {
	var dirs []string
	byDir := map[string][]manifest{}
	for _, m := range d.manifests {
		if m.asMade() {
			if byDir[m.dir] == nil {
				dirs = append(dirs, m.dir)
			}
			byDir[m.dir] = append(byDir[m.dir], m)
		}
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		all := byDir[dir]
		other := slices.IndexFunc(all, func(m manifest) bool { return m.version != crd.Version })
		switch {
		case other >= 0:
			d.note(all[other].path, all[other].line, "CRDs by controller-gen %s, and crdctl makes those of %s; %s stays as it is, write crds: {dir: %s} to have crdctl make them",
				all[other].version, crd.Version, dir, dir)
		case d.found.raw.CRDs.Dir != "":
			d.note(all[0].path, all[0].line, "a second folder of CRDs besides %s; crdctl makes one, so %s stays as it is", d.found.raw.CRDs.Dir, dir)
		default:
			d.found.raw.CRDs.Dir = dir
			d.set("crds.dir", dir, at(all[0].path, all[0].line))
		}
	}
}
