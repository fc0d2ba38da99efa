package detect

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/gen/crdform"
)

var markerRole = regexp.MustCompile(`(?m)^\s*//\s*\+kubebuilder:rbac:.*\broleName=([^,\s]+)`)

// readRole claims the role.yaml of the +kubebuilder:rbac markers where the tree shows that crdctl makes it as it was made:
// the CRDs next to it name the version, and it is the only one.
func (d *discovery) readRole() {
	var roles []repo.Role
	var paths []string
	for _, r := range d.Roles {
		if r.Form {
			roles = append(roles, r)
			paths = append(paths, r.Path)
		}
	}
	if len(roles) == 0 || !d.hasMarker("rbac") {
		return
	}
	reason := ""
	option, optionAt := d.callWith(roleOption, "rbac:")
	packages, packagesAt := d.callWith(pathsOption, "rbac:", "paths=./...", `paths="./...`, "paths='./...")
	names := d.givenNames(roles[0].Names)
	switch {
	case d.found.raw.CRDs.Dir == "":
		reason = fmt.Sprintf("a role names no version of controller-gen, and no CRD here is of %s, the one that crdctl makes", crdform.Version)
	case len(roles) > 1:
		reason = "crdctl makes one role.yaml of all markers, and here are several"
	case len(names) != 1:
		reason = "its roles have names by which the one of rbac.roleName cannot be told"
	case option != "":
		reason = fmt.Sprintf("%s calls controller-gen with %s", optionAt, option)
	case packages != "":
		reason = fmt.Sprintf("%s calls controller-gen with %s, and crdctl reads the markers of all packages", packagesAt, packages)
	default:
		dir := path.Dir(roles[0].Path)
		d.found.raw.RBAC.Dir = dir
		d.set("rbac.dir", roles[0].Path)
		if names[0] != usualRole {
			d.found.raw.RBAC.RoleName = names[0]
			d.set("rbac.roleName", roles[0].Path)
		}
		return
	}
	d.notCompared("rbac", controllerGen, paths, reason+"; write rbac: {dir: "+path.Dir(paths[0])+"} to have crdctl make it")
}

// usualRole is the name that a role has where the settings give none.
const usualRole = "manager-role"

// givenNames are the names that no marker gives: the one of them is that of the settings. Where markers give all, the
// setting has no effect, and is the usual one.
func (d *discovery) givenNames(names []string) []string {
	given := slices.Clone(names)
	for _, f := range d.Files {
		for _, m := range markerRole.FindAllSubmatch(f.Data, -1) {
			given = slices.DeleteFunc(given, func(n string) bool { return n == strings.Trim(string(m[1]), "\"`'") })
		}
	}
	if len(given) == 0 {
		return []string{usualRole}
	}
	return given
}
