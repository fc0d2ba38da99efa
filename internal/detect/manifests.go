package detect

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/safefs"
)

var groupName = regexp.MustCompile(`(?m)^\s*//\s*\+groupName=(\S+)`)

// readManifests claims a folder of CRDs only where crdctl's own version made all of them, with no options of its own and
// without a change afterwards: others would change, and are listed as not compared.
func (d *discovery) readManifests() {
	byDir := map[string][]repo.Manifest{}
	for _, m := range d.ownManifests() {
		byDir[m.Dir] = append(byDir[m.Dir], m)
	}
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		all := byDir[dir]
		tool, reason := controllerGen+" "+crdform.Version, ""
		other := slices.IndexFunc(all, func(m repo.Manifest) bool { return m.Version != crdform.Version })
		changed := slices.IndexFunc(all, func(m repo.Manifest) bool { return !d.inForm(m.Path) })
		option, optionAt := d.callWith(crdOption, "")
		switch {
		case other >= 0:
			tool = controllerGen + " " + all[other].Version
			reason = fmt.Sprintf("crdctl makes the CRDs of %s; write crds: {dir: %s} to have them", crdform.Version, dir)
		case changed >= 0:
			reason = fmt.Sprintf("%s is not in the form in which controller-gen writes: something changes it afterwards; write crds: {dir: %s} to have it made by crdctl", all[changed].Path, dir)
		case option != "":
			reason = fmt.Sprintf("%s calls controller-gen with %s; write crds: {dir: %s} to have crdctl make the CRDs without", optionAt, option, dir)
		case d.found.raw.CRDs.Dir != "":
			reason = fmt.Sprintf("crdctl makes one folder of CRDs, and that is %s", d.found.raw.CRDs.Dir)
		default:
			d.found.raw.CRDs.Dir = dir
			d.set("crds.dir", repo.At(all[0].Path, all[0].Line))
			continue
		}
		var paths []string
		for _, m := range all {
			paths = append(paths, m.Path)
		}
		d.notCompared("crd", tool, paths, reason)
	}
}

// ownManifests are the CRDs that controller-gen made of the repository's own types: they have the name that it gives them,
// and a group that a package here has, where any says its group. CRDs of other projects are kept in repositories, too.
func (d *discovery) ownManifests() []repo.Manifest {
	groups := map[string]bool{}
	for _, f := range d.Files {
		for _, m := range groupName.FindAllSubmatch(f.Data, -1) {
			if f.Generator == "" {
				groups[string(m[1])] = true
			}
		}
	}
	var own []repo.Manifest
	for _, m := range d.Manifests {
		if _, group, _ := strings.Cut(m.Name, "."); m.AsMade() && (len(groups) == 0 || groups[group]) {
			own = append(own, m)
		}
	}
	return own
}

// inForm reports whether a manifest has the form in which controller-gen writes it.
func (d *discovery) inForm(file string) bool {
	data, err := safefs.ReadFile(filepath.Join(d.Root, filepath.FromSlash(file)), safefs.MaxFile)
	return err == nil && crdform.InForm(data)
}
