// SPDX-License-Identifier: Apache-2.0

// Package cmd is crdctl's command line: it parses, calls the packages that work, and prints what they return.
//
// Only this package prints, and only main exits. No work is done here: a command's run function reads like a table
// of contents of what it does.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/logging"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/ui"
)

// options are the flags that all commands share.
type options struct {
	dir       string
	verbosity int
	color     string

	interrupts *ui.Interrupts
}

// Main runs crdctl with the arguments and returns its exit code. It ends early on the first SIGINT or SIGTERM, and
// calls exit on the second.
func Main(args []string, s ui.Streams, exit func(int)) int {
	ctx, interrupts := ui.WithSignals(context.Background(), s.Err, exit)
	defer interrupts.End()
	code := execute(ctx, interrupts, args, s)
	if interrupts.Hurried() {
		return ui.ExitTrouble
	}
	return code
}

// execute is Main without the signals.
func execute(ctx context.Context, i *ui.Interrupts, args []string, s ui.Streams) int {
	root := newRoot(s, i)
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		plainUsages(root)
	}
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	err = flagError(cmd, err) // cobra itself parses the flags before a command
	return s.Report().Exit(cmd.CommandPath(), err)
}

func newRoot(s ui.Streams, i *ui.Interrupts) *cobra.Command {
	// Libraries that are linked in put flags of their own programs there, and cobra gives them to every root command.
	pflag.CommandLine = pflag.NewFlagSet("crdctl", pflag.ContinueOnError)
	o := options{interrupts: i}
	root := &cobra.Command{
		Use:   "crdctl",
		Short: "Scaffold, generate, verify and run Kubernetes CRD controllers",
		Long: about + `
Exit codes: 0 success, 1 findings (for example stale files), 2 errors or wrong usage.`,
		Version:       Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if err := o.validate(); err != nil {
				return ui.UsageError(err)
			}
			logging.Setup(s.Err, o.verbosity)
			return nil
		},
	}
	root.TraverseChildren = true // flags before kubectl are ours, those behind it are its own
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(flagError)
	f := root.PersistentFlags()
	f.StringVarP(&o.dir, "dir", "C", ".", "project `directory`, or a directory in it")
	f.IntVarP(&o.verbosity, "verbosity", "v", 0, "log `level`: 1 for more of crdctl's messages, 2 and up for Kubernetes libraries")
	f.StringVar(&o.color, "color", "auto", "colored output: auto, always or never; NO_COLOR is respected")
	root.AddCommand(newCommands(s, &o)...)
	root.AddCommand(newVersion(s, &o))
	root.AddCommand(newGenDocs(s)...)
	root.InitDefaultCompletionCmd()
	root.SetHelpCommand(newHelp())
	completeFlags(root, &o)
	for _, c := range root.Commands() {
		if c.Name() == "completion" { // cobra's own prints its help for a shell that it does not know, with exit code 0
			c.Args, c.RunE = noArgs, requireSubcommand
		}
	}
	return root
}

// newGroup returns a command that groups others, and does nothing by itself.
func newGroup(name, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short, Args: noArgs, RunE: requireSubcommand}
	c.AddCommand(commands...)
	return c
}

// requireSubcommand is the function of a command that does nothing by itself. It is wrong usage: in a script, the name of the subcommand may
// be a variable that is not set.
func requireSubcommand(c *cobra.Command, _ []string) error {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	last := len(names) - 1
	if last > 0 {
		names = []string{strings.Join(names[:last], ", "), names[last]}
	}
	return ui.UsageErrorf("a subcommand is required: %s", strings.Join(names, " or "))
}

// newHelp is cobra's help command, with an error for a command that does not exist.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command",
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			switch {
			case err != nil:
				return ui.UsageError(err)
			case found.DisableFlagParsing:
				found.SetContext(c.Context())
				return found.RunE(found, append(rest, "--help"))
			case len(rest) > 0:
				return noArgs(found, rest)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if found, _, err := c.Root().Find(args); err == nil {
				for _, sub := range found.Commands() {
					if sub.IsAvailableCommand() {
						names = append(names, sub.Name()+"\t"+sub.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func (o *options) validate() error {
	switch o.color {
	case "auto", "always", "never":
		return nil
	}
	return fmt.Errorf("--color %q must be auto, always or never", o.color)
}

// project finds and loads the project that --dir is in.
func (o *options) project() (root string, p *config.Project, err error) {
	if root, err = o.root(); err != nil {
		return "", nil, err
	}
	p, err = config.Load(root)
	return root, p, err
}

// root finds the root of the project that --dir is in.
func (o *options) root() (string, error) {
	root, err := config.Find(o.dir)
	if err != nil {
		return "", err
	}
	// The real path: generators compare the directories of packages with it, and the go command resolves links.
	return filepath.EvalSymlinks(root)
}

// flagError returns an error of pflag as one of the command line, in words for people, and any other as it is.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var malformed *pflag.InvalidSyntaxError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		if command := misplacedFlag(c, unknown); command != "" {
			name := "--" + unknown.GetSpecifiedName()
			return ui.UsageErrorf("%s; flags of a command are written after it, as in \"%s %s\"", err, command, name)
		}
		if near := nearFlag(c, unknown); near != "" {
			return ui.UsageErrorf("%s; did you mean --%s?", err, near)
		}
		return ui.UsageErrorf("%s", err)
	case errors.As(err, &missing), errors.As(err, &malformed):
		return ui.UsageErrorf("%s", err)
	case !errors.As(err, &invalid):
		return err
	}
	switch f := invalid.GetFlag(); f.Value.Type() {
	case "int":
		return ui.UsageErrorf("--%s %q must be a whole number", f.Name, invalid.GetValue())
	case "bool":
		return ui.UsageErrorf("--%s=%s must be true or false", f.Name, invalid.GetValue())
	case "duration":
		return ui.UsageErrorf("--%s %q must be a duration with its unit, for example 10s or 5m", f.Name, invalid.GetValue())
	default:
		return ui.UsageErrorf("--%s %q: %s", f.Name, invalid.GetValue(), invalid.Unwrap())
	}
}

// misplacedFlag returns the command below c that has the flag which is unknown to c; with COMMAND for its name if several have it, "" if
// none has.
func misplacedFlag(c *cobra.Command, unknown *pflag.NotExistError) string {
	if unknown.GetSpecifiedShortnames() != "" {
		return ""
	}
	var found []string
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if f := sub.Flags().Lookup(unknown.GetSpecifiedName()); f != nil && !f.Hidden {
			found = append(found, sub.CommandPath())
		} else if below := misplacedFlag(sub, unknown); below != "" {
			found = append(found, below)
		}
	}
	switch len(found) {
	case 0:
		return ""
	case 1:
		return found[0]
	}
	return c.CommandPath() + " COMMAND"
}

// nearFlag returns the name of the flag that an unknown one was meant to be, or "".
func nearFlag(c *cobra.Command, unknown *pflag.NotExistError) string {
	if unknown.GetSpecifiedShortnames() != "" {
		return ""
	}
	var names []string
	for _, set := range []*pflag.FlagSet{c.Flags(), c.InheritedFlags()} {
		set.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Deprecated == "" {
				names = append(names, f.Name)
			}
		})
	}
	return text.DidYouMean(unknown.GetSpecifiedName(), names)
}

// noArgs is cobra.NoArgs with an error of ours.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if c.HasSubCommands() {
		if near := nearCommand(c, args[0]); near != "" {
			return ui.UsageErrorf("unknown command %q; did you mean %q?", args[0], near)
		}
		return ui.UsageErrorf("unknown command %q", args[0])
	}
	return ui.UsageErrorf("%q: %s takes no arguments", args[0], c.CommandPath())
}

// nearCommand returns the subcommand that an unknown one was meant to be, or the one that begins with it, or "".
func nearCommand(c *cobra.Command, name string) string {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	begins := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, name) })
	if near := text.DidYouMean(name, names); near != "" || begins < 0 {
		return near
	}
	return names[begins]
}
