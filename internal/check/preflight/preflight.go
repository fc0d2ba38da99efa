// SPDX-License-Identifier: Apache-2.0

// Package preflight finds what the API server would refuse in CRDs, and what it accepts to the loss of their users.
//
// It judges CRDs alone, with the API server's own code where that is possible. It compares no revisions and knows no objects.
package preflight

import (
	"context"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// checks are the rules, as functions of one CRD.
var checks = []func(crd *project.CRD) []rule.Finding{columns}

// Check returns what is wrong with the CRDs.
func Check(ctx context.Context, crds []*project.CRD) ([]rule.Finding, error) {
	var all []rule.Finding
	for _, crd := range crds {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		for _, check := range checks {
			all = append(all, check(crd)...)
		}
	}
	return all, nil
}
