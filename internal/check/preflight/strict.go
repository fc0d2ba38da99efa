// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// strict finds fields that a strict decoder does not take: kubectl asks for one.
func strict(crd *project.CRD) (all []rule.Finding, err error) {
	for _, p := range crd.Strict {
		place, what := rule.Place{File: crd.File, Line: p.Line, Col: p.Col}, p.What
		if p.Line == 0 {
			place = crd.InManifest(keysOf(p.Path)...)
		}
		if i := strings.LastIndex(p.Path, "."); i >= 0 && strings.HasPrefix(what, "unknown field") {
			what = fmt.Sprintf("%s has no field %s", p.Path[:i], p.Path[i+1:])
		}
		all = append(all, rule.New("unknown-field", place, crd.Subject(""), "%s", what))
	}
	return all, nil
}
