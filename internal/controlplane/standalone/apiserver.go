// SPDX-License-Identifier: Apache-2.0

package standalone

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/cli"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
	"k8s.io/component-base/compatibility"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	_ "k8s.io/component-base/logs/json/register" // the format json, as in the released program
	"k8s.io/component-base/term"
	"k8s.io/component-base/version/verflag"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/startup"
	"github.com/crdctl/crdctl/internal/startup/hugepages"
	"github.com/crdctl/crdctl/internal/startup/register"
)

// APIServer is kube-apiserver's main function, and returns its exit code. args begins with the name of the program; stderr gets what
// crdctl has to say.
func APIServer(args []string, stderr io.Writer) int {
	startup.Done()
	hugepages.Stop()
	register.Now()
	o := options.NewServerRunOptions()
	c := newCommand(o)
	c.SetArgs(adapt(o, args[0], args[1:], stderr))
	return cli.Run(c)
}

// newCommand is app.NewAPIServerCommand, whose options cannot be reached from outside, with another way to run.
func newCommand(o *options.ServerRunOptions) *cobra.Command {
	registry := o.GenericServerRunOptions.ComponentGlobalsRegistry
	c := &cobra.Command{
		Use: "kube-apiserver",
		Long: `The Kubernetes API server validates and configures data
for the api objects which include pods, services, replicationcontrollers, and
others. The API Server services REST operations and provides the frontend to the
cluster's shared state through which all other components interact.`,
		SilenceUsage: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if err := registry.Set(); err != nil {
				return err
			}
			rest.SetDefaultWarningHandler(rest.NoWarnings{})
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			for _, a := range args {
				if a != "" {
					return fmt.Errorf("%q does not take any arguments, got %q", c.CommandPath(), args)
				}
			}
			if c.Flag("version").Value.String() == "true" { // package verflag knows only what upstream's build links in
				_, err := fmt.Fprintln(c.OutOrStdout(), "Kubernetes "+controlplane.KubernetesVersion)
				return err
			}
			verflag.PrintAndExitIfRequested()
			if err := logsapi.ValidateAndApply(o.Logs, registry.FeatureGateFor(compatibility.DefaultKubeComponent)); err != nil {
				return err
			}
			cliflag.PrintFlags(c.Flags())
			advertise(o)
			completed, err := o.Complete(context.Background())
			if err != nil {
				return err
			}
			if errs := completed.Validate(); len(errs) > 0 {
				return utilerrors.NewAggregate(errs)
			}
			return serve(completed)
		},
	}
	sets := o.Flags()
	verflag.AddFlags(sets.FlagSet("global"))
	globalflag.AddGlobalFlags(sets.FlagSet("global"), c.Name(), logs.SkipLoggingConfigurationFlags())
	for _, set := range sets.FlagSets {
		c.Flags().AddFlagSet(set)
	}
	columns, _, _ := term.TerminalSize(c.OutOrStdout())
	cliflag.SetUsageAndHelpFunc(c, sets, columns)
	return c
}
