// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/check"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/ui"
)

// fixFindings writes the fixes that are certain, and reports whether there were any. In a dry run it prints them instead.
func fixFindings(s ui.Streams, root string, found []rule.Finding, dryRun bool) (fixed bool, err error) {
	changes, err := check.Fixes(root, found)
	if err != nil {
		return false, err
	}
	if dryRun {
		if len(changes) == 0 {
			s.Report().Printf("nothing to fix")
		}
		for _, c := range changes {
			if _, err := fmt.Fprint(s.Out, c.Patch()); err != nil {
				return false, fmt.Errorf("write the patch: %w", err)
			}
		}
		return false, nil
	}
	if err := tree.Write(root, changes); err != nil {
		return false, err
	}
	for _, c := range changes {
		s.Report().Printf("fixed %s", c.Path)
	}
	return len(changes) > 0, nil
}
