// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// managerRole is where controller-gen writes the role of the manager, or of each of several.
var managerRole = lazyregexp.New(`(^|/)config/rbac[^/]*/role\.ya?ml$`)

// released is the directory of a version in a catalog. Its bundle runs the image of that version, which asks for what it grants.
var released = lazyregexp.New(`(^|/)v?\d+\.\d+\.\d+[^/]*(/manifests)?$`)

// chartRoles finds charts and bundles whose roles lack what the role of the manager grants. One that has less than half of that is for another
// program. Of several managers it is for the one of whose role it grants the most, and the markers in Go are not read, since nothing says whose
// they are.
func chartRoles(s *Source) (all []rule.Finding) {
	managers := map[string]grants{}     // by file
	packages := map[string][]document{} // by directory
	charts := map[string]bool{}
	for _, f := range s.YAML {
		if path.Base(f.Path) == "Chart.yaml" {
			charts[path.Dir(f.Path)] = true
		}
	}
	for _, d := range s.documents() {
		switch {
		case d.kind == "ClusterServiceVersion" && released.MatchString(path.Dir(d.file.Path)):
		case d.kind == "ClusterServiceVersion":
			packages[path.Dir(d.file.Path)] = append(packages[path.Dir(d.file.Path)], d)
		case !slices.Contains([]string{"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"}, d.kind):
		case managerRole.MatchString(d.file.Path):
			managers[d.file.Path] = grants{rules: append(managers[d.file.Path].rules, roles([]document{d}).rules...)}
		default:
			if chart := chartOf(charts, d.file.Path); chart != "" {
				packages[chart] = append(packages[chart], d)
			}
		}
	}
	if len(managers) < 2 {
		own := s.marked()
		for _, g := range managers {
			own.rules = append(own.rules, g.rules...)
		}
		managers = map[string]grants{"": own}
	}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		docs := packages[dir]
		wanted, lacking := ownManager(managers, roles(docs))
		if len(lacking) == 0 || 2*len(lacking) > len(wanted) || elsewhere(docs) {
			continue
		}
		slices.Sort(lacking)
		lacking = slices.Compact(lacking)
		what := lacking[0]
		if n := len(lacking); n > 1 {
			what += fmt.Sprintf(" (permissions that are missing: %d)", n)
		}
		best, most := docs[0], 0
		for _, d := range docs {
			if n := granting(roles([]document{d}), wanted); n > most {
				best, most = d, n
			}
		}
		all = append(all, rule.New("chart-rbac-stale", best.at, dir, "the roles of %s do not grant what the manager's role does: %s", dir, what))
	}
	return all
}

// ownManager are the permissions of one of several roles, and what a chart lacks of them: of the role of which it grants the most. Of two that share
// what it grants it is the larger one: a role of leases and events alone is part of any.
func ownManager(managers map[string]grants, has grants) (wanted []permission, lacking []string) {
	most := -1
	for _, file := range slices.Sorted(maps.Keys(managers)) {
		all, missing := managers[file].permissions(), []string{}
		for _, p := range all {
			if !has.allow(p) {
				missing = append(missing, p.String())
			}
		}
		if granted := len(all) - len(missing); granted > most || granted == most && len(all) > len(wanted) {
			most, wanted, lacking = granted, all, missing
		}
	}
	return wanted, lacking
}

// elsewhere reports whether rules of a chart are where they are not read: in a template that its roles include, or in a role that it binds and
// does not have. Those of Kubernetes that only let a server authenticate grant nothing else.
func elsewhere(docs []document) bool {
	var names, bound []string
	for _, d := range docs {
		var role struct {
			Metadata, RoleRef struct{ Name string }
		}
		switch _, rules, found := strings.Cut(string(d.text), "\nrules:"); {
		case strings.HasSuffix(d.kind, "Role") && (!found && d.template || included.MatchString(rules)):
			return true
		case yaml.Unmarshal(inline.ReplaceAll(plain(d.text), []byte("x")), &role) != nil:
		case strings.HasSuffix(d.kind, "Binding"):
			bound = append(bound, role.RoleRef.Name)
		default:
			names = append(names, role.Metadata.Name)
		}
	}
	return slices.ContainsFunc(bound, func(name string) bool {
		return !slices.Contains(names, name) && !strings.HasPrefix(name, "system:") && name != "extension-apiserver-authentication-reader"
	})
}

var (
	// inline is an action of a template.
	inline = lazyregexp.New(`\{\{.*?\}\}`)
	// included is a line of a template that writes rules, or the list of them.
	included = lazyregexp.New(`^[ \t]*\{\{|(?m)^[ \t]*\{\{-?[ \t]*(include|template|tpl|toYaml|\$|\.)`)
)

// granting is how many of some permissions roles grant.
func granting(g grants, wanted []permission) (n int) {
	for _, p := range wanted {
		if g.allow(p) {
			n++
		}
	}
	return n
}

// chartOf is the directory of the chart that a file is in; empty for none.
func chartOf(charts map[string]bool, file string) string {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if charts[dir] {
			return dir
		}
		if !strings.Contains(dir, "/") {
			return ""
		}
	}
}
