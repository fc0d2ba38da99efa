// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// managerRole is where controller-gen writes the role of the manager.
var managerRole = regexp.MustCompile(`(^|/)config/rbac/role\.ya?ml$`)

// chartRoles finds charts and bundles whose roles lack what the role of the manager grants. One that has less than half of that is for another
// program.
func chartRoles(s *Source) (all []rule.Finding) {
	own := s.marked()
	packages := map[string][]document{} // by directory
	charts := map[string]bool{}
	for _, f := range s.YAML {
		if path.Base(f.Path) == "Chart.yaml" {
			charts[path.Dir(f.Path)] = true
		}
	}
	for _, d := range s.documents() {
		switch {
		case d.kind == "ClusterServiceVersion":
			packages[path.Dir(d.file.Path)] = append(packages[path.Dir(d.file.Path)], d)
		case d.kind != "Role" && d.kind != "ClusterRole":
		case managerRole.MatchString(d.file.Path):
			own.rules = append(own.rules, roles([]document{d}).rules...)
		default:
			if chart := chartOf(charts, d.file.Path); chart != "" {
				packages[chart] = append(packages[chart], d)
			}
		}
	}
	wanted := own.permissions()
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		docs := packages[dir]
		has := roles(docs)
		var lacking []string
		for _, p := range wanted {
			if !has.allow(p) {
				lacking = append(lacking, p.String())
			}
		}
		if len(lacking) == 0 || 2*len(lacking) > len(wanted) {
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
