// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/ui"
)

type viewOptions struct {
	*options
	findings findingsFlags
}

func newView(s ui.Streams, shared *options) *cobra.Command {
	o := viewOptions{options: shared}
	c := &cobra.Command{
		Use:   "view FILE",
		Short: "Show what a controller did, and why",
		Long: `View reads a recording that "crdctl run --record FILE" wrote. With --findings it prints what went wrong: hot loops, fights about fields,
conflicts, refused watches, stuck finalizers and more, each with its evidence, its certainty and what to do.

Exit codes with --findings: 0 if there is no finding, or none of the types that --fail-on names; 1 if there is, also if it was resolved
meanwhile; 2 if it could not be determined.`,
		Example: "  crdctl view run.crdctl.gz --findings\n  crdctl view run.crdctl.gz --findings -o json\n  crdctl view run.crdctl.gz --findings --fail-on hot-loop,conflict-storm",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return ui.UsageErrorf("name one file; \"crdctl run --record FILE\" writes it")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.findings.validate(c.Flags()); err != nil {
				return err
			}
			if !o.findings.print {
				return ui.UsageErrorf("add --findings")
			}
			return viewFindings(c.Context(), s, o.findings, args[0])
		},
	}
	o.findings.register(c)
	return c
}
