// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/report"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/ui"
)

type verifyOptions struct {
	*options
	settings  *settings
	output    string
	withCheck bool
	against   string
}

func newVerify(s ui.Streams, shared *options) *cobra.Command {
	o := verifyOptions{options: shared}
	c := &cobra.Command{
		Use:   "verify",
		Short: "Check that the generated files are up to date",
		Long: `Verify generates all files in memory, as generate does, and compares them with the tree. It never writes.

Exit codes: 0 if up to date; 1 if not, with the differences on standard output, as a patch for "git apply" or in the format of
--output; 2 if it could not be determined, with the reason on standard error and nothing on standard output. With --with-check, what
could be determined is printed all the same.

Formats: text is for people, json is one object, github writes annotations for GitHub Actions, sarif is for code scanning.
docs/verify.md describes them, and docs/ci.md has a workflow and a pre-commit hook.`,
		Example: "  crdctl verify\n  crdctl verify > stale.patch\n  crdctl verify -o json | jq -r '.changes[].path'",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch f := c.Flags().Lookup("against"); {
			case f.Changed && o.against == "": // an empty variable of a CI system must not mean the default
				return ui.UsageErrorf("--against is empty; name a revision, directory or file, or omit the flag")
			case f.Changed && !o.withCheck:
				return ui.UsageErrorf("--against is for --with-check; add it, or omit --against")
			}
			return runVerify(c.Context(), s, o)
		},
	}
	o.settings = settingsFlags(c.Flags())
	c.Flags().StringVarP(&o.output, "output", "o", "text", "`format` of the output: text, json, github or sarif")
	c.Flags().BoolVar(&o.withCheck, "with-check", false, "also run \"crdctl check\", and print its findings after the differences")
	c.Flags().StringVar(&o.against, "against", "", "git `revision`, directory or file to compare with, with --with-check")
	// The flag is there, and nothing else can go wrong.
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(verifyOutputs(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func verifyOutputs() []string { return []string{"text", "json", "github", "sarif"} }

func runVerify(ctx context.Context, s ui.Streams, o verifyOptions) error {
	if outputs := verifyOutputs(); !slices.Contains(outputs, o.output) {
		last := len(outputs) - 1
		return ui.UsageErrorf("--output %q must be %s or %s", o.output, strings.Join(outputs[:last], ", "), outputs[last])
	}
	shown, done := s.Report().Work(ctx, "generating, to compare")
	g, err := o.generated(shown, o.settings, gen.Options{Partial: true, Results: cache.Open()})
	if done(); err != nil {
		return err
	}
	g.leaveIgnored()
	if g.incomplete != nil && len(g.changes) > 0 { // what is stale is certain all the same
		g.notes, g.incomplete = append(g.notes, g.incomplete.Error()), nil
	}
	g.notes = append(g.notes, lineEndings(g.changes)...)
	r := g.report()
	if err := cmp.Or(g.incomplete, g.unavailable, g.uncompiled); err != nil && len(g.changes) == 0 {
		s.Report().Lines(r.Asides())
		return err
	}
	var undetermined error
	if o.withCheck {
		shown, done := s.Report().Work(ctx, "checking")
		r.Check, undetermined = checked(shown, g.at, checkOptions{options: o.options, against: o.against})
		if done(); r.Check == nil {
			r.Check = &report.Check{Undetermined: undetermined.Error(), Prefix: r.Prefix, Version: r.Version}
		}
	}
	if o.output != "text" {
		err = printReport(s, o.output, r)
	} else if err = printVerdict(s, ui.NewPaint(s.Out, o.color), r); err == nil && r.Check != nil && len(r.Check.Judged) > 0 {
		err = printFindings(s, *r.Check, rule.Error)
	}
	switch {
	case err != nil || undetermined != nil:
		return cmp.Or(err, undetermined)
	case len(g.changes) > 0:
		return ui.ErrNo
	case o.withCheck:
		return verdict(r.Check, rule.Error)
	}
	return nil
}

// lineEndings tells why files are stale that differ in nothing but their line endings, as in a checkout of git's with
// core.autocrlf.
func lineEndings(changes []tree.Change) []string {
	n := 0
	for _, c := range changes {
		if c.Op == tree.Update && bytes.Equal(bytes.ReplaceAll(c.Old, []byte("\r\n"), []byte("\n")), c.New) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{text.Count(n, "file differs", "files differ") + " only in line endings: generated files end lines with LF; " +
		"add \"* text=auto eol=lf\" to .gitattributes and run \"git add --renormalize .\""}
}

// printReport prints the answer for a program: all of it, or none.
func printReport(s ui.Streams, form string, r report.Report) error {
	data, err := map[string]func() ([]byte, error){
		"json": r.JSON, "sarif": r.SARIF, "github": func() ([]byte, error) { return r.GitHub(), nil },
	}[form]()
	if err != nil {
		return err
	}
	if _, err := s.Out.Write(data); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	if form == "json" || form == "sarif" { // github has all of it, and all that is printed is in one log there
		for _, line := range tree.Lines(r.NotCompared) {
			s.Report().Printf("not compared: %s", line)
		}
	}
	if form != "github" { // it has the summary, and all that is printed is in one log there
		s.Report().Printf("%s", r.Summary())
		if r.Check != nil {
			s.Report().Printf("%s", r.Check.Summary())
		}
	}
	return nil
}
