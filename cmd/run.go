package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

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
}

func newRun(s ui.Streams, shared *options) *cobra.Command {
	o := &runOptions{options: shared}
	c := &cobra.Command{
		Use:   "run [flags] [-- ARG...]",
		Short: "Run the controller on a control plane of its own, or on a cluster that you name",
		Long: `Run starts etcd and the Kubernetes API server in this process, installs the project's CRDs, and builds and runs the
project's controller against it. On every change of its sources the controller is built and started again. Ctrl-C
stops the controller, the API server and etcd, and leaves nothing behind; the second Ctrl-C does not wait.

The control plane listens on 127.0.0.1 only. "crdctl kubectl" talks to it; its kubeconfig is .crdctl/kubeconfig.

A fresh control plane is gone when the run ends. With --data-dir it keeps its objects, its port and its kubeconfig. Where
"crdctl cluster start" keeps one in the background, run uses that one.

With --as-service-account the controller has no more rights than the roles in its manifests (controller.manifests in
crdctl.yaml) give that account. What is refused is said at once, and at the end what the roles lack, and what they grant for
nothing.

With --no-controller, crdctl does all this but builds and starts no controller: it prints the arguments and the environment
with which you start it yourself, for example in an editor under its debugger.

With --builtin, the controller is one that is built into crdctl, and no Go project is needed: it watches the kinds of
the CRDs, logs what it sees, and records the event Synced. With -v 1 it also shows what its informers do. With --hook or --template,
or where crdctl.yaml has a section loop, it makes of each object what these decide. "crdctl manifests" has it run in a cluster.

With --kubeconfig, --context or --master, no control plane is started: the cluster that they name is used.

A module without crdctl.yaml can be run too: what is generated in it is found as "crdctl generate" finds it.

Arguments after -- go to the project's controller. Its environment has KUBECONFIG set to the cluster that is used, and
$(KUBECONFIG) in an argument, like that of any other variable, is its value.`,
		Example: `  crdctl run
  crdctl run -- --workers=4
  crdctl run --data-dir ~/.local/state/crontab
  crdctl run --as-service-account default/crontab
  crdctl run --no-controller
  crdctl run --builtin -f crd.yaml
  crdctl run --builtin -f crd.yaml --hook ./sync.py --owns apps/v1/Deployment
  crdctl run --context staging
  crdctl run --controller ./cmd/controller -f artifacts/crd.yaml -- '--kubeconfig=$(KUBECONFIG)'`,
		RunE: func(c *cobra.Command, args []string) error {
			if c.ArgsLenAtDash() != 0 && len(args) > 0 {
				return ui.UsageErrorf("%q: arguments of the controller come after --, for example crdctl run -- %s", args[0], args[0])
			}
			return runRun(c.Context(), s, o, args)
		},
	}
	f := c.Flags()
	f.StringArrayVarP(&o.CRDFiles, "filename", "f", nil, "`file` or directory of CRDs to install, in place of the project's (repeatable)")
	f.BoolVar(&o.Builtin, "builtin", false, "run the controller that is built into crdctl")
	f.BoolVar(&o.NoController, "no-controller", false, "leave the start of the controller to you, and print what it needs")
	f.BoolVar(&o.Once, "once", false, "end with exit code 2 when the controller does not compile or ends by itself")
	f.BoolVar(&o.SkipCRDs, "skip-crds", false, "do not install the CRDs")
	f.BoolVar(&o.SkipGenerate, "skip-generate", false, "do not generate, neither at the start nor on changes")
	o.loop.bind(f, &o.Options)
	o.plane.bind(f)
	f.StringVar(&o.plane.dataDir, "data-dir", "", "keep the control plane's objects, port and kubeconfig in this `directory`")
	f.StringVar(&o.controller, "controller", "", "`directory` of the controller's main package, in place of crdctl.yaml's")
	f.StringVar(&o.account, "as-service-account", "", "run the controller as the service account `NAMESPACE/NAME`, with the rights that its manifests give it")
	f.StringVar(&o.Cluster.Kubeconfig, "kubeconfig", "", "use the cluster of this kubeconfig `file`")
	f.StringVar(&o.Cluster.Context, "context", "", "use the cluster of this `context` of the kubeconfig")
	f.StringVar(&o.Cluster.Master, "master", "", "use the API server at this `URL`")
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
	o.CRDs = func() ([]manifest.CRD, error) { return crdsToUse(o.Root, o.Project, o.CRDFiles) }
	o.Hurry, o.BeforeExit, o.Args = o.interrupts.Hurry, o.interrupts.BeforeExit, args
	o.Debug, o.Color, o.In, o.Out, o.Err = o.verbosity > 0, bool(ui.NewPaint(s.Err, o.color)), s.In, s.Out, s.Err
	if o.Builtin {
		if err := o.builtinLoop(); err != nil {
			return err
		}
	}
	ctx, stop := ui.OutlivePipe(ctx)
	defer stop()
	err = run.Run(ctx, o.Options)
	if errors.Is(context.Cause(ctx), ui.ErrOutputClosed) {
		err = errors.Join(ui.ErrOutputClosed, err)
	}
	return err
}
