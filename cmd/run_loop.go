// SPDX-License-Identifier: Apache-2.0

//go:build crdctl_loop

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/builtin"
	"github.com/crdctl/crdctl/internal/run/target"
	"github.com/crdctl/crdctl/internal/ui"
)

// runOptions are the flags of run in the loop build.
type runOptions struct {
	*options
	builtin.Options
	loop      builtinFlags
	isBuiltin bool
}

func newRun(s ui.Streams, shared *options) *cobra.Command {
	o := &runOptions{options: shared}
	c := &cobra.Command{
		Use:   "run --builtin [flags]",
		Short: "Run the built-in controller on a cluster that you name",
		Long: `Run installs the CRDs in a cluster that exists, and runs the controller that is built into crdctl on them: it watches the kinds of the
CRDs, logs what it sees, and records the event Synced. With --hook or --template, or where crdctl.yaml has a section loop, it makes of
each object what these decide.`,
		Example: `  crdctl run --builtin --in-cluster --crd crontabs.stable.example.com
  crdctl run --builtin --context staging -f crd.yaml --hook ./sync.py --owns apps/v1/Deployment`,
		RunE: func(c *cobra.Command, args []string) error {
			for _, name := range fullRunFlags() {
				if c.Flags().Changed(name) {
					return notInBuildError("run --"+name, "control plane", fullBuild)
				}
			}
			if !o.isBuiltin {
				return fmt.Errorf("run: the loop build of crdctl runs the built-in controller only; add --builtin, or use the full build: %s", installCommand(fullBuild, Version()))
			}
			if len(args) > 0 {
				return ui.UsageErrorf("%q: the built-in controller takes no arguments", args[0])
			}
			return runRun(c.Context(), s, o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.isBuiltin, "builtin", false, "run the controller that is built into crdctl (required)")
	targetFlags(f, &o.Options)
	o.loop.bind(f, &o.Options)
	for _, name := range fullRunFlags() {
		f.String(name, "", "")
		f.Lookup(name).NoOptDefVal, f.Lookup(name).Hidden = "given", true
	}
	return c
}

func runRun(ctx context.Context, s ui.Streams, o *runOptions) (err error) {
	var p *config.Project
	if o.Root, p, err = o.ownProject(); errors.Is(err, fs.ErrNotExist) {
		if len(o.CRDFiles)+len(o.CRDNames) == 0 {
			return noCRDs(err)
		}
		if o.Root, err = realPath(o.dir); err == nil {
			err = config.CheckOwner(o.Root)
		}
	}
	if err != nil {
		return err
	}
	o.CRDs = func() ([]manifest.CRD, error) { return crdsToUse(o.Root, p, o.CRDFiles) }
	o.streams(&o.Options, s)
	if err := o.loop.with(p, o.dir); err != nil {
		return err
	}
	if !o.Cluster.IsSet() {
		return notInBuildError("run: name a cluster with --kubeconfig, --context, --master or --in-cluster", "control plane", fullBuild)
	}
	connect := func() (*target.API, error) { return o.Cluster.Connect(s.Report()) }
	return untilClosed(ctx, func(ctx context.Context) error { return builtin.Run(ctx, o.Options, connect) })
}
