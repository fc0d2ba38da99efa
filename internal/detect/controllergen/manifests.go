// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"path/filepath"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/safefs"
)

// ownManifests are the CRDs that controller-gen made of the repository's own types: they have the name that it gives them, and
// a group and a kind that a package here has. CRDs of other projects are kept in repositories, too.
func (r *Reader) ownManifests() []repo.Manifest {
	var own []repo.Manifest
	for _, m := range r.Manifests {
		if m.AsMade() && m.IsOf(r.Kinds) {
			own = append(own, m)
		}
	}
	return own
}

// inForm reports whether a manifest has the form in which controller-gen writes it.
func (r *Reader) inForm(file string) bool {
	data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(file)), safefs.MaxFile)
	return err == nil && crdform.InForm(data)
}
