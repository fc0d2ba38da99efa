// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// strict finds fields that a strict decoder does not take: kubectl asks for one.
func strict(crd *project.CRD) (all []rule.Finding, err error) {
	for _, p := range crd.Strict {
		place := rule.Place{File: crd.File, Line: p.Line}
		if p.Line == 0 {
			place = crd.InManifest(keysOf(p.Path)...)
		}
		all = append(all, rule.New("unknown-field", place, crd.Subject(""), "%s", p.What))
	}
	return all, nil
}
