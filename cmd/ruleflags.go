// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/ui"
)

// ruleFlags are the flags of commands that report what rules find.
type ruleFlags struct {
	command *cobra.Command
	failOn  string
	output  string
	list    bool
	explain string
}

func (f *ruleFlags) register(c *cobra.Command) {
	f.command = c
	c.Flags().StringVar(&f.failOn, "fail-on", "error", "lowest `severity` with exit code 1: note, warning or error")
	c.Flags().StringVarP(&f.output, "output", "o", "text", "`format` of the output: text, json, github or sarif")
	c.Flags().BoolVar(&f.list, "list", false, "print the rules")
	c.Flags().StringVar(&f.explain, "explain", "", "print the page of a `rule`, with examples")
	// The flags are there, and nothing else can go wrong.
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(verifyOutputs(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions([]string{"note", "warning", "error"}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("explain", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return ruleIDs(), cobra.ShellCompDirectiveNoFileComp
	})
}

// explained prints rules of the families, if that is what was asked for.
func (f *ruleFlags) explained(s ui.Streams, families []rule.Family) (done bool, err error) {
	switch {
	case (f.list || f.explain != "") && f.output != "text":
		return true, ui.UsageErrorf("--list and --explain print text, and cannot be used with --output %s; omit one of them", f.output)
	case f.list:
		return true, listRules(s, families)
	case f.explain != "":
		return true, explainRule(f.command, s, f.explain)
	}
	return false, nil
}

// threshold is the severity of --fail-on. What the flags do not take is an error.
func (f *ruleFlags) threshold() (rule.Severity, error) {
	failOn, err := rule.ParseSeverity(f.failOn)
	if err != nil {
		return 0, ui.UsageErrorf("--fail-on %w", err)
	}
	if outputs := verifyOutputs(); !slices.Contains(outputs, f.output) {
		return 0, ui.UsageErrorf("--output %q must be text, json, github or sarif", f.output)
	}
	return failOn, nil
}

func ruleIDs() (ids []string) {
	for _, r := range rule.All() {
		ids = append(ids, r.ID)
	}
	return ids
}
