package detect

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/safefs"
)

var groupName = regexp.MustCompile(`(?m)^\s*//\s*\+groupName=(\S+)`)

// kindsByGroup are the types of API objects by group and directory.
func (d *discovery) kindsByGroup() map[string]map[string][]string {
	all := map[string]map[string][]string{}
	for _, f := range d.Files {
		if f.Tags["register"] == 0 { // the tag is the marker of a group's name
			continue
		}
		for _, m := range groupName.FindAllSubmatch(f.Data, -1) {
			group := string(m[1])
			if all[group] == nil {
				all[group] = map[string][]string{}
			}
			for _, o := range d.ByDir[f.Dir] {
				all[group][f.Dir] = append(all[group][f.Dir], o.Kinds...)
			}
		}
	}
	return all
}

// ownManifests are the CRDs that controller-gen made of the repository's own types: they have the name that it gives them, and
// a group and a kind that a package here has. CRDs of other projects are kept in repositories, too.
func (d *discovery) ownManifests() []repo.Manifest {
	var own []repo.Manifest
	for _, m := range d.Manifests {
		_, group, _ := strings.Cut(m.Name, ".")
		if !m.AsMade() {
			continue
		}
		for _, kinds := range d.kinds[group] {
			if m.Kind == "" || len(kinds) == 0 || slices.Contains(kinds, m.Kind) {
				own = append(own, m)
				break
			}
		}
	}
	return own
}

// inForm reports whether a manifest has the form in which controller-gen writes it.
func (d *discovery) inForm(file string) bool {
	data, err := safefs.ReadFile(filepath.Join(d.Root, filepath.FromSlash(file)), safefs.MaxFile)
	return err == nil && crdform.InForm(data)
}
