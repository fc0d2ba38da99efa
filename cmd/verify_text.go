package cmd

import (
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/report"
)

const (
	// manyFindings is from how many on nobody reads a list: there, it is summed up.
	manyFindings = 40
	// screenPatches is how many of so many patches a terminal is shown. Into a file or a pipe go all.
	screenPatches = 5
)

// printVerdict prints the answer for people: the patch on standard output, and what it is about beside it.
func printVerdict(s Streams, p paint, r report.Report) error {
	s.report().Lines(r.Asides())
	s.report().Warn(r.Outdated)
	if len(r.Changes) == 0 {
		_, err := fmt.Fprintln(s.Out, r.Summary())
		return err
	}
	many := len(r.Changes) > manyFindings
	shown := r.Changes
	if many && isTerminal(s.Out) {
		shown = shown[:screenPatches]
	}
	for _, c := range shown {
		if _, err := fmt.Fprint(s.Out, p.diff(c.Patch())); err != nil {
			return fmt.Errorf("write the patch: %w", err)
		}
	}
	if left := len(r.Changes) - len(shown); left > 0 {
		s.report().Printf("\n%d more patches are not shown; for all of them: crdctl verify > stale.patch", left)
	}
	if many {
		s.report().Lines(r.Overview())
	} else {
		for _, c := range r.Changes {
			s.report().Printf("%s: %s", strings.ReplaceAll(string(report.KindOf(c.Op)), "-", " "), c.Path)
		}
	}
	s.report().Printf("%s", r.Summary())
	return nil
}
