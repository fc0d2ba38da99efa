// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var markerRole = lazyregexp.New(`(?m)^\s*//\s*\+kubebuilder:rbac:.*\broleName=([^,\s]+)`)

// readOwn claims the CRDs and the role of a project of crdctl that lost its settings: nothing here calls controller-gen, the CRDs name the
// version that crdctl has, and there is code that only crdctl makes. Without that, another call of controller-gen may have made them, with
// options of its own. It returns the CRDs that are left.
func (r *Reader) readOwn(own []repo.Manifest) []repo.Manifest {
	made := func(f *repo.GoFile) bool { return f.Generator == "crdctl" }
	if len(r.steps.Sequences) > 0 || len(own) == 0 || !slices.ContainsFunc(r.Files, made) {
		return own
	}
	dir := own[0].Dir
	if slices.ContainsFunc(own, func(m repo.Manifest) bool { return m.Dir == dir && (m.Version != crdform.Version || !r.inForm(m.Path)) }) {
		return own
	}
	r.Settings.CRDs.Dir = dir
	r.Set("crds.dir", repo.At(own[0].Path, own[0].Line))
	r.readRole()
	claimed := map[string]bool{}
	for _, m := range own {
		claimed[m.Name] = claimed[m.Name] || m.Dir == dir
	}
	return slices.DeleteFunc(own, func(m repo.Manifest) bool { return claimed[m.Name] })
}

// readRole claims the role.yaml of the +kubebuilder:rbac markers if it is the only one, and they do not give all of its names.
func (r *Reader) readRole() {
	roles := slices.DeleteFunc(slices.Clone(r.Roles), func(r repo.Role) bool { return !r.Form })
	if len(roles) != 1 || !r.HasMarker("rbac") {
		return
	}
	names := r.givenNames(roles[0].Names)
	if len(names) != 1 {
		return
	}
	r.Settings.RBAC.Dir = path.Dir(roles[0].Path)
	r.Set("rbac.dir", roles[0].Path)
	if names[0] != usualRole {
		r.Settings.RBAC.RoleName = names[0]
		r.Set("rbac.roleName", roles[0].Path)
	}
}

// usualRole is the name that a role has where the settings give none.
const usualRole = "manager-role"

// givenNames are the names that no marker gives: the one of them is that of the settings. Where markers give all, the
// setting has no effect, and is the usual one.
func (r *Reader) givenNames(names []string) []string {
	given := slices.Clone(names)
	for _, f := range r.Files {
		for _, m := range markerRole.FindAllSubmatch(f.Data, -1) {
			given = slices.DeleteFunc(given, func(n string) bool { return n == strings.Trim(string(m[1]), "\"`'") })
		}
	}
	if len(given) == 0 {
		return []string{usualRole}
	}
	return given
}
