// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/report"
	"github.com/crdctl/crdctl/internal/ui"
)

const (
	// manyFindings is the number of findings from which on a list is too long to read, and is summed up.
	manyFindings = 40
	// screenPatches is how many of so many patches a terminal is shown. Into a file or a pipe go all.
	screenPatches = 5
)

// printVerdict prints the answer for people: the patch on standard output, and what it is about on standard error.
func printVerdict(s ui.Streams, p ui.Paint, r report.Report) error {
	s.Report().Lines(r.Asides())
	s.Report().Warn(r.Outdated)
	if r.ByControllerGen() {
		s.Report().Printf("%s", r.ByGenerator())
	}
	if len(r.Changes) == 0 {
		_, err := fmt.Fprintln(s.Out, r.Summary())
		return err
	}
	many := len(r.Changes) > manyFindings
	shown := r.Changes
	if many && ui.IsTerminal(s.Out) {
		shown = shown[:screenPatches]
	}
	for _, c := range shown {
		if _, err := fmt.Fprint(s.Out, p.Diff(c.Patch())); err != nil {
			return fmt.Errorf("write the patch: %w", err)
		}
	}
	if left := len(r.Changes) - len(shown); left > 0 {
		s.Report().Printf("\n%d more patches are not shown; to see all: crdctl verify > stale.patch", left)
	}
	if many {
		s.Report().Lines(r.Overview())
	} else {
		for _, c := range r.Changes {
			s.Report().Printf("%s: %s", strings.ReplaceAll(string(report.KindOf(c.Op)), "-", " "), c.Path)
		}
	}
	s.Report().Printf("%s", r.Summary())
	return nil
}
