// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/scaffold/change"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/templates"
)

type upgradeOptions struct {
	*options
	changeOptions
}

func newUpgrade(s ui.Streams, shared *options) *cobra.Command {
	o := upgradeOptions{options: shared}
	c := &cobra.Command{
		Use:   "upgrade",
		Short: "Update the project's scaffold to this version of crdctl",
		Long: `Upgrade renders the project with the templates that it was created from and with the current ones, and merges the difference
into your files. Your changes stay; where the templates changed the same lines, the file gets both between conflict markers, as
in git.

Exit codes: 0 if done, or if there is nothing to do; 1 if there are conflicts: resolve them, and run "crdctl generate";
2 for errors (nothing is written).`,
		Example: "  crdctl upgrade --dry-run\n  crdctl upgrade",
		Args:    noArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runUpgrade(c.Context(), s, o) },
	}
	o.register(c.Flags())
	return c
}

func runUpgrade(ctx context.Context, s ui.Streams, o upgradeOptions) error {
	if err := o.notOfKubebuilder("upgrade", scaffold.APIOptions{}); err != nil {
		return err
	}
	w, err := o.scaffolded(s, &o.changeOptions)
	if err != nil {
		return err
	}
	was := w.templates
	old, err := templates.At(was)
	if err != nil {
		return fmt.Errorf("crdctl.yaml: scaffold.templates: %w", err)
	}
	plan, err := change.New(w.place, change.Render{Project: w.before, Templates: old}, change.Render{Project: w.after, Templates: templates.FS})
	if err != nil {
		return err
	}
	shown, stop := s.Report().Work(ctx, "upgrading")
	changes, err := plan.Changes(shown)
	if stop(); err != nil {
		return err
	}
	if err := o.carryOut(s, w.place, changes, plan.Merged); err != nil {
		return err
	}
	s.Report().Lines(plan.Notes)
	for _, l := range []struct {
		files []string
		words string
	}{
		{plan.Edited, "is no longer in the scaffold; it stays, because you changed it"},
		{plan.InTheWay, "is new in the scaffold; your file stays unchanged"},
		{plan.Gone, "changed in the scaffold; you removed it, and it stays removed"},
	} {
		for _, f := range l.files {
			s.Report().Printf("%s %s", f, l.words)
		}
	}
	done := "upgraded"
	if o.dryRun {
		done = "would upgrade"
	}
	if len(changes) == 0 {
		s.Report().Printf("the scaffold is up to date (templates %d)", templates.Revision)
		return nil
	}
	step := fmt.Sprintf("from templates %d to %d", was, templates.Revision)
	if was == templates.Revision {
		step = fmt.Sprintf("the record of the scaffold (templates %d)", was)
	}
	s.Report().Printf("%s %s: %s in %.1fs", done, step, text.Count(len(changes), "file", "files"), time.Since(w.began).Seconds())
	if len(plan.Conflicts) > 0 {
		s.Report().Printf("conflicts to resolve, between <<<<<<< and >>>>>>>, in %s; then run \"crdctl generate\"", strings.Join(slices.Sorted(maps.Keys(plan.Conflicts)), ", "))
		return ui.ErrNo
	}
	return nil
}
