// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"
)

// flagValues are the values that a shell completes, by flag.
var flagValues = map[string][]string{
	"color":         {"auto", "always", "never"},
	"conversion":    {"none", "webhook"},
	"output":        {"text", "json"},
	"pods":          {"running", "pending"},
	"record-bodies": {"none", "changed", "all"},
	"redact":        {"configmaps"},
	"scope":         {"Namespaced", "Cluster"},
	"shard-by":      {"key", "namespace"},
}

// completeArgs has a shell complete the arguments of a command: the valid ones that were not given yet, and no files where it takes none.
func completeArgs(c *cobra.Command) {
	names := c.ValidArgs
	switch {
	case c.ValidArgsFunction != nil:
	case len(names) > 0: // cobra by itself completes only the first argument
		c.ValidArgs, c.ValidArgsFunction = nil, func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			left := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(args, name) })
			return left, cobra.ShellCompDirectiveNoFileComp
		}
	case c.Args != nil && c.Args(c, []string{"file"}) != nil:
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
}

// completeFlags has a shell complete the flags of a command and of those below it, except where a command does so itself.
func completeFlags(c *cobra.Command, o *options) {
	completeArgs(c)
	register := func(f *pflag.Flag) {
		if complete := o.completeValue(f); complete != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, complete) // fails where the command has its own
		}
	}
	c.Flags().VisitAll(register)
	c.PersistentFlags().VisitAll(register)
	for _, sub := range c.Commands() {
		completeFlags(sub, o)
	}
}

// plainUsages removes the quotes around the names of flags' values, which help reads and shells would show.
func plainUsages(c *cobra.Command) {
	plain := func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") }
	c.Flags().VisitAll(plain)
	c.PersistentFlags().VisitAll(plain)
	for _, sub := range c.Commands() {
		plainUsages(sub)
	}
}

// completeContext completes the contexts of the kubeconfig that --kubeconfig or the environment names.
func completeContext(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath, _ = c.Flags().GetString("kubeconfig") // each command with --context has it
	kubeconfig, err := rules.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return slices.Sorted(maps.Keys(kubeconfig.Contexts)), cobra.ShellCompDirectiveNoFileComp
}

// completeValue completes what any flag of a name, or with a directory, takes.
func (o *options) completeValue(f *pflag.Flag) cobra.CompletionFunc {
	if kind, _ := pflag.UnquoteUsage(f); kind == "directory" {
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	}
	if f.Name == "context" {
		return completeContext
	}
	if values := flagValues[f.Name]; values != nil {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	return nil
}
