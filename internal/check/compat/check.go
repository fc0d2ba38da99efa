// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"context"
	"fmt"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// Check compares a project with an older state of it, which may be nil: then only what the versions of a CRD break between each other is found.
// judged says what was looked at.
func Check(ctx context.Context, p *project.Project, base *revision.Base) (found []rule.Finding, judged string, err error) {
	found = Versions(p.CRDs)
	if base == nil {
		return found, fmt.Sprintf("%s, without an older revision", crds(len(p.CRDs))), nil
	}
	b, err := readBase(base, p)
	if err != nil {
		return nil, "", err
	}
	changed, err := Compare(ctx, b.crds, StateOf(p.CRDs))
	if err != nil {
		return nil, "", err
	}
	found = append(found, changed...)
	found = append(found, b.gone()...)
	judged = fmt.Sprintf("%s against %s", crds(len(b.crds)), base.Name)
	if n := len(p.CRDs) - len(b.crds); n > 0 {
		judged += fmt.Sprintf(", %d new", n)
	}
	return found, judged, nil
}

func crds(n int) string {
	if n == 1 {
		return "1 CRD"
	}
	return fmt.Sprintf("%d CRDs", n)
}
