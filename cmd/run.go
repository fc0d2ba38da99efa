package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/controlplane/access"
	"github.com/crdctl/crdctl/internal/manifest"
	"github.com/crdctl/crdctl/internal/project"
	"github.com/crdctl/crdctl/internal/run"
)

type runOptions struct {
	*options
	files     []string
	builtin   bool
	once      bool
	noCRDs    bool
	workers   int
	resync    time.Duration
	namespace string
	cluster   run.Cluster
	plane     planeOptions
	account   string
	// controller is the folder of the controller's main package.
	controller string

	builtinFlags []string // those set that only the built-in controller knows
}

func newRun(s Streams, shared *options) *cobra.Command {
	o := runOptions{options: shared}
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

With --builtin, the controller is one that is built into crdctl, and no Go project is needed: it watches the kinds of
the CRDs, logs what it sees, and records the event Synced. With -v 1 it also shows what its informers do.

With --kubeconfig, --context or --master, no control plane is started: the cluster that they name is used.

A module without crdctl.yaml can be run too: what is generated in it is found as "crdctl generate" finds it.

Arguments after -- go to the project's controller. Its environment has KUBECONFIG set to the cluster that is used, and
$(KUBECONFIG) in an argument, like that of any other variable, is its value.`,
		Example: `  crdctl run
  crdctl run -- --workers=4
  crdctl run --data-dir ~/.local/state/crontab
  crdctl run --as-service-account default/crontab
  crdctl run --builtin -f crd.yaml
  crdctl run --context staging
  crdctl run --controller ./cmd/controller -f artifacts/crd.yaml -- '--kubeconfig=$(KUBECONFIG)'`,
		RunE: func(c *cobra.Command, args []string) error {
			if c.ArgsLenAtDash() != 0 && len(args) > 0 {
				return usageError{fmt.Errorf("%q: arguments of the controller come after --, for example crdctl run -- %s", args[0], args[0])}
			}
			for _, name := range []string{"workers", "resync", "namespace"} {
				if c.Flags().Changed(name) {
					o.builtinFlags = append(o.builtinFlags, name)
				}
			}
			return runRun(c.Context(), s, o, args)
		},
	}
	f := c.Flags()
	f.StringArrayVarP(&o.files, "filename", "f", nil, "`file` or folder of CRDs to install, in place of the project's (repeatable)")
	f.BoolVar(&o.builtin, "builtin", false, "run the controller that is built into crdctl")
	f.BoolVar(&o.once, "once", false, "end with exit code 2 when the controller does not compile or ends by itself")
	f.BoolVar(&o.noCRDs, "skip-crds", false, "do not install the CRDs")
	f.IntVar(&o.workers, "workers", 2, "with --builtin: number of objects of a kind worked on at the same time")
	f.DurationVar(&o.resync, "resync", 30*time.Second, "with --builtin: how often the cache is gone through again; objects that did not change are passed over")
	f.StringVarP(&o.namespace, "namespace", "n", "", "with --builtin: work on one `namespace` only")
	o.plane.bind(f)
	f.StringVar(&o.plane.dataDir, "data-dir", "", "keep the control plane's objects, port and kubeconfig in this `folder`")
	f.StringVar(&o.controller, "controller", "", "`folder` of the controller's main package, in place of crdctl.yaml's")
	f.StringVar(&o.account, "as-service-account", "", "run the controller as the service account `NAMESPACE/NAME`, with the rights that its manifests give it")
	f.StringVar(&o.cluster.Kubeconfig, "kubeconfig", "", "use the cluster of this kubeconfig `file`")
	f.StringVar(&o.cluster.Context, "context", "", "use the cluster of this `context` of the kubeconfig")
	f.StringVar(&o.cluster.Master, "master", "", "use the API server at this `URL`")
	return c
}

func runRun(ctx context.Context, s Streams, o runOptions, args []string) error {
	root, p, err := o.toRun(s)
	if err != nil {
		return err
	}
	switch {
	case !o.builtin && len(o.builtinFlags) > 0:
		return usageError{fmt.Errorf("--%s is for --builtin; arguments of the project's controller come after --", o.builtinFlags[0])}
	case o.builtin && len(args) > 0:
		return usageError{fmt.Errorf("%q: the built-in controller takes no arguments", args[0])}
	case o.builtin && o.account != "":
		return usageError{errors.New("--as-service-account is for the project's controller; the built-in one is part of crdctl")}
	case o.cluster != run.Cluster{} && (o.account != "" || o.plane != planeOptions{pods: podsRunning}):
		return usageError{errors.New("--data-dir, --port, --pods and --as-service-account are for a control plane of crdctl's own; leave them out, or --kubeconfig, --context and --master")}
	case o.workers < 1:
		return usageError{fmt.Errorf("--workers is %d; at least 1 is needed", o.workers)}
	case !o.builtin && p.Controller.Package == "":
		return errors.New("no controller is named; name the folder of its main package with --controller or as controller.package in " + project.FileName + ", or run with --builtin")
	}
	if !o.builtin {
		if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(p.Controller.Package))); err != nil || !info.IsDir() {
			return fmt.Errorf("the controller's main package should be in %s, and that is no folder; name it with --controller or as controller.package in %s",
				filepath.Join(root, filepath.FromSlash(p.Controller.Package)), project.FileName)
		}
	}
	plane, err := o.plane.settle()
	if err != nil {
		return err
	}
	var account *access.Account
	if o.account != "" {
		a, err := run.ParseAccount(o.account)
		if err != nil {
			return usageError{fmt.Errorf("--as-service-account: %w", err)}
		}
		account = &a
	}
	return run.Run(ctx, run.Options{
		Root: root, Project: p, Cluster: o.cluster, Plane: plane, Account: account, Builtin: o.builtin, Once: o.once, SkipCRDs: o.noCRDs,
		CRDs: func() ([]manifest.CRD, error) { return o.crds(root, p) }, CRDFiles: o.files,
		Hurry: o.hurry, Workers: o.workers, Resync: o.resync, Namespace: o.namespace, Args: args,
		Debug: o.verbosity > 0, Color: bool(newPaint(s.Err, o.color)), Out: s.Out, Err: s.Err,
	})
}
