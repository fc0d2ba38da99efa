// SPDX-License-Identifier: Apache-2.0

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
		if m.AsMade() && d.isOwn(m) {
			own = append(own, m)
		}
	}
	return own
}

// isOwn reports whether a CRD is of a type of the repository.
func (d *discovery) isOwn(m repo.Manifest) bool {
	_, group, _ := strings.Cut(m.Name, ".")
	for _, kinds := range d.kinds[group] {
		if m.Kind == "" || len(kinds) == 0 || slices.Contains(kinds, m.Kind) {
			return true
		}
	}
	return false
}

// inForm reports whether a manifest has the form in which controller-gen writes it.
func (d *discovery) inForm(file string) bool {
	data, err := safefs.ReadFile(filepath.Join(d.Root, filepath.FromSlash(file)), safefs.MaxFile)
	return err == nil && crdform.InForm(data)
}
