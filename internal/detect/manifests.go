package detect

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/safefs"
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
	groupName  = regexp.MustCompile(`(?m)^\s*//\s*\+groupName=(\S+)`)
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

// readManifests claims a folder of CRDs only where crdctl's own version made all of them, with no options of its own and
// without a change afterwards: others would change, and are listed as not compared.
func (d *discovery) readManifests() {
	var dirs []string
	byDir := map[string][]manifest{}
	for _, m := range d.ownManifests() {
		if byDir[m.dir] == nil {
			dirs = append(dirs, m.dir)
		}
		byDir[m.dir] = append(byDir[m.dir], m)
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		all := byDir[dir]
		tool, reason := controllerGen+" "+crdform.Version, ""
		other := slices.IndexFunc(all, func(m manifest) bool { return m.version != crdform.Version })
		changed := slices.IndexFunc(all, func(m manifest) bool { return !d.inForm(m.path) })
		option, optionAt := d.callWith(crdOption, "")
		switch {
		case other >= 0:
			tool = controllerGen + " " + all[other].version
			reason = fmt.Sprintf("crdctl makes the CRDs of %s; write crds: {dir: %s} to have them", crdform.Version, dir)
		case changed >= 0:
			reason = fmt.Sprintf("%s is not in the form in which controller-gen writes: something changes it afterwards; write crds: {dir: %s} to have it made by crdctl", all[changed].path, dir)
		case option != "":
			reason = fmt.Sprintf("%s calls controller-gen with %s; write crds: {dir: %s} to have crdctl make the CRDs without", optionAt, option, dir)
		case d.found.raw.CRDs.Dir != "":
			reason = fmt.Sprintf("crdctl makes one folder of CRDs, and that is %s", d.found.raw.CRDs.Dir)
		default:
			d.found.raw.CRDs.Dir = dir
			d.set("crds.dir", dir, at(all[0].path, all[0].line))
			continue
		}
		var paths []string
		for _, m := range all {
			paths = append(paths, m.path)
		}
		d.notCompared("crd", tool, paths, reason)
	}
}

// ownManifests are the CRDs that controller-gen made of the repository's own types: they have the name that it gives them,
// and a group that a package here has, where any says its group. CRDs of other projects are kept in repositories, too.
func (d *discovery) ownManifests() []manifest {
	groups := map[string]bool{}
	for _, f := range d.files {
		for _, m := range groupName.FindAllSubmatch(f.data, -1) {
			if f.generator == "" {
				groups[string(m[1])] = true
			}
		}
	}
	var own []manifest
	for _, m := range d.manifests {
		if _, group, _ := strings.Cut(m.name, "."); m.asMade() && (len(groups) == 0 || groups[group]) {
			own = append(own, m)
		}
	}
	return own
}

// inForm reports whether a manifest has the form in which controller-gen writes it.
func (d *discovery) inForm(file string) bool {
	data, err := safefs.ReadFile(filepath.Join(d.root, filepath.FromSlash(file)), safefs.MaxFile)
	return err == nil && crdform.InForm(data)
}
