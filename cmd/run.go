// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run"
	"github.com/crdctl/crdctl/internal/ui"
)

// runOptions are the flags of run; most are the options of the run themselves.
type runOptions struct {
	*options
	run.Options
	loop    builtinFlags
	plane   planeOptions
	account string
	// controller is the directory of the controller's main package.
	controller string
	// settings are the flags that say what crdctl.yaml says of the controller.
	settings         *settings
	debug, debugWait bool
	debugPort        int
	recording        recordingFlags
}

func newRun(s ui.Streams, shared *options) *cobra.Command {
	o := &runOptions{options: shared}
	c := &cobra.Command{
		Use:   "run [flags] [-- ARG...]",
		Short: "Run the controller on a local control plane or an existing cluster",
		Long: `Run starts etcd and the Kubernetes API server in this process, installs the project's CRDs, and builds and runs the
project's controller against it. When its sources change, the controller is rebuilt and restarted. Ctrl-C
stops the controller, the API server and etcd, and leaves no process or file behind; a second Ctrl-C does not wait.

The control plane listens on 127.0.0.1 only. "crdctl kubectl" talks to it; its kubeconfig is .crdctl/kubeconfig.

By default, the control plane and its objects are removed when the run ends. With --data-dir the objects, the port and
the kubeconfig are kept. If "crdctl cluster start" has started a control plane in the background, run uses that one.

With --as-service-account the controller has only the permissions that the roles in its manifests (controller.manifests in
crdctl.yaml) grant that account. A refused request is reported at once; at the end crdctl lists the permissions that the
roles lack and those that the controller did not use.

With --debug, the controller is built without optimizations and runs in Delve, which listens on 127.0.0.1. --race builds it
with the race detector, --build-flags with flags of go build.

With --no-controller, crdctl does all this except building and starting the controller. It prints the arguments and the
environment with which to start it yourself, for example under a debugger.

With --builtin, crdctl runs its built-in controller, which needs no Go project: it watches the kinds of
the CRDs, logs changes, and records the event Synced. With -v 1 it also logs what its informers do. Flags
that begin with "--builtin:" below apply to it only. With --hook or --template,
or with the section loop in crdctl.yaml, it reconciles each object to what the hook or the templates return. "crdctl manifests"
prints what a cluster needs to run it.

Run records what the control plane and the controller do, without the data of Secrets, and reports what goes wrong: hot loops,
conflicts, denied requests. --record writes the recording to a file for "crdctl view"; --findings=false records nothing.

With --kubeconfig, --context or --master, run uses an existing cluster and starts no control plane.

In a module without crdctl.yaml, run detects the settings as "crdctl generate" does.

Arguments after -- go to the project's controller. Its environment has KUBECONFIG set to the cluster's kubeconfig.
$(KUBECONFIG) in an argument is replaced by its value, as is any other environment variable.`,
		Example: `  crdctl run
  crdctl run -- --workers=4
  crdctl run --data-dir ~/.local/state/crontab
  crdctl run --as-service-account default/crontab
  crdctl run --record session.crdctl.gz
  crdctl run --debug --build-flags '-tags=integration'
  crdctl run --no-controller
  crdctl run --builtin -f crd.yaml
  crdctl run --builtin -f crd.yaml --hook ./sync.py --owns apps/v1/Deployment
  crdctl run --context staging
  crdctl run --controller ./cmd/controller -f artifacts/crd.yaml -- '--namespace=$(POD_NAMESPACE)'`,
		RunE: func(c *cobra.Command, args []string) error {
			if c.ArgsLenAtDash() != 0 && len(args) > 0 {
				return ui.UsageErrorf("%q: arguments of the controller come after --, for example crdctl run -- %s", args[0], args[0])
			}
			return runRun(c.Context(), s, o, args)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.Builtin, "builtin", false, "run the controller that is built into crdctl")
	o.settings = newSettings(config.RunSettings())
	f.AddFlagSet(o.settings.set)
	f.BoolVar(&o.Race, "race", false, "build the controller with the race detector")
	f.BoolVar(&o.debug, "debug", false, "run the controller in Delve (dlv), for an editor or \"dlv connect\"")
	f.IntVar(&o.debugPort, "debug-port", 0, "`port` of 127.0.0.1 for the debugger (default: a free one)")
	f.BoolVar(&o.debugWait, "debug-wait", false, "hold the controller at its start until a debugger's client continues it")
	f.BoolVar(&o.NoController, "no-controller", false, "do not start the controller; print the arguments and environment that it needs")
	f.BoolVar(&o.Once, "once", false, "end with exit code 2 when the controller does not compile or ends by itself")
	f.BoolVar(&o.SkipGenerate, "skip-generate", false, "do not generate, neither at the start nor on changes")
	o.recording.bind(f)
	targetFlags(f, &o.Options.Options)
	o.loop.bind(f, &o.Options.Options)
	o.plane.bind(f)
	f.StringVar(&o.plane.dataDir, "data-dir", "", "keep the control plane's objects, port and kubeconfig in this `directory`")
	f.StringVar(&o.controller, "controller", "", "`directory` of the controller's main package, overrides crdctl.yaml")
	f.StringVar(&o.account, "as-service-account", "", "run the controller with the permissions of this service account, `NAMESPACE/NAME`")
	_ = c.RegisterFlagCompletionFunc("as-service-account", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		root, p, err := o.toRun(ui.Streams{Out: io.Discard, Err: io.Discard})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return run.Accounts(root, p), cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

func runRun(ctx context.Context, s ui.Streams, o *runOptions, args []string) (err error) {
	if o.Root, o.Project, err = o.toRun(s); err != nil {
		return err
	}
	if err := o.refuse(args); err != nil {
		return err
	}
	if o.Plane, err = o.plane.settle(); err != nil {
		return err
	}
	if o.account != "" {
		a, err := run.ParseAccount(o.account)
		if err != nil {
			return ui.UsageErrorf("--as-service-account: %w", err)
		}
		o.Account = &a
	}
	if o.BuildFlags, err = o.toBuild(); err != nil {
		return err
	}
	if o.debug {
		o.Debugger = &run.Debugger{Port: o.debugPort, Wait: o.debugWait}
	}
	if o.Recording, err = o.recording.settle(); err != nil {
		return err
	}
	o.CRDs = func() ([]manifest.CRD, error) { return crdsToUse(o.Root, o.Project, o.CRDFiles) }
	o.Hurry, o.BeforeExit, o.Args = o.interrupts.Hurry, o.interrupts.BeforeExit, args
	o.streams(&o.Options.Options, s)
	if o.Builtin {
		if err := o.loop.with(o.Project, o.dir); err != nil {
			return err
		}
	}
	return untilClosed(ctx, func(ctx context.Context) error {
		ctx, end := o.onTerminal(ctx, s)
		defer end()
		return run.Run(ctx, o.Options)
	})
}
