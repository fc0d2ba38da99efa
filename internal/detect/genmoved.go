// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
)

// leaveMoved takes crd out of the calls that write to a directory without any of the CRDs that they make, where such CRDs are elsewhere or
// by other names: a command moves or renames them afterwards.
func (d *discovery) leaveMoved(calls []*genCall, own []repo.Manifest) {
	for _, c := range calls {
		dir, ok := c.OutputDir("crd")
		if c.CRD == nil || !ok || slices.ContainsFunc(own, func(m repo.Manifest) bool { return m.Dir == dir }) || len(d.bareIn(dir)) > 0 {
			continue
		}
		moved, version := d.elsewhere(calls, c)
		if len(moved) > 0 {
			c.drop("crd")
		}
		moved = slices.DeleteFunc(moved, d.listed) // of an earlier call
		if len(moved) > 0 {
			slices.Sort(moved)
			d.notCompared("crd", controllerGen+" "+version, slices.Compact(moved), path.Join(dir, "GROUP_PLURAL.yaml")+", which the call at "+c.at+" writes, does not exist, so a command moves or renames the files afterwards")
		}
	}
}

// elsewhere are the CRDs of the types of a call, wherever they are, that no other call makes, and the version of the last.
func (d *discovery) elsewhere(calls []*genCall, c *genCall) (files []string, version string) {
	for _, m := range d.Manifests {
		if m.Version == "" || madeElsewhere(calls, c, m) {
			continue
		}
		_, group, _ := strings.Cut(m.Name, ".")
		for at, kinds := range d.kinds[group] {
			if covers(c, d.Modules, at) && (m.Kind == "" || slices.Contains(kinds, m.Kind)) {
				files, version = append(files, m.Path), m.Version
				break
			}
		}
	}
	return files, version
}

// madeElsewhere reports whether a CRD is in the directory that another call writes to.
func madeElsewhere(calls []*genCall, but *genCall, m repo.Manifest) bool {
	return slices.ContainsFunc(calls, func(c *genCall) bool {
		dir, ok := c.OutputDir("crd")
		return c != but && c.CRD != nil && ok && dir == m.Dir && m.AsMade()
	})
}
