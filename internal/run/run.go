// Package run is "crdctl run": a cluster to talk to, the project's CRDs in it, and a controller working on them.
//
// It puts together what others do: package controlplane is the cluster, package gen the generated files, package proc
// the controller's process, package loop the controller that crdctl has built in. It does not parse flags.
package run

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/controlplane/rbacaudit"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/operator"
	"github.com/crdctl/crdctl/internal/startup"
	"github.com/crdctl/crdctl/internal/startup/trim"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// Options say what to run, and where.
type Options struct {
	// Root is the folder that the run belongs to: the project's, or any other for a run without a project.
	Root string
	// Project is nil for a run without one.
	Project *config.Project
	// CRDs returns the CRDs to install; it is called again when a manifest changed. CRDFiles are where they are, where
	// that is not the project's folder of CRDs.
	CRDs     func() ([]manifest.CRD, error)
	CRDFiles []string
	// SkipCRDs leaves the installing to somebody else, and SkipGenerate the generating.
	SkipCRDs, SkipGenerate bool
	// Discovered tells that the project has no crdctl.yaml: its settings were found in what is generated there.
	Discovered bool
	// Manager is the controller where it is a controller-runtime program: it gets the flags that it needs on this machine.
	Manager *mainpkg.Program
	// Cluster names a cluster that exists. Left empty, a control plane is started.
	Cluster Cluster
	// Plane is about the control plane that is started.
	Plane Plane
	// Account is who the project's controller is; nil for an administrator.
	Account *rbacaudit.Account
	// Builtin runs the loop in crdctl instead of the project's controller.
	Builtin bool
	// NoController leaves it to the user to start the project's controller, and prints what it needs.
	NoController bool
	// Once ends the run when the controller does not compile or ends by itself, instead of waiting for a change.
	Once bool
	// Loop are the settings of the built-in loop, with defaults. Paths in them are relative to Root.
	Loop config.Loop
	// Leases has the built-in loop work only on what it holds a lease for; they are in LeaseNamespace, or where that is
	// empty in the namespace of the pod or of the kubeconfig's context.
	Leases         bool
	LeaseNamespace string
	// MetricsAddr is where the built-in loop serves metrics and probes; "" for nowhere. Profiling serves profiles too.
	MetricsAddr string
	Profiling   bool
	// NoEvents has the built-in loop record no events.
	NoEvents bool
	// CRDNames are CRDs that the cluster has or will have, for the built-in loop to follow in the place of those of CRDs.
	CRDNames []string
	// Render is a file with an object for which the built-in loop shows what it would do; "-" for standard input.
	Render string
	// Args are handed to the project's controller.
	Args []string
	// Debug shows the built-in controller's pipeline, Quiet shows only what is wrong, and Color colors its log.
	Debug, Quiet, Color bool
	// Hurry is closed when the user does not want to wait for an orderly end.
	Hurry <-chan struct{}
	// BeforeExit registers a function to call before the process exits without waiting for the end; nil where it always waits.
	BeforeExit func(func())
	// In is where an object to render is read from that no file is named for.
	In       io.Reader
	modCache string // the go command's
	// Out and Err are the controller's standard output and error; crdctl's own words go to Err too.
	Out, Err io.Writer
}

// Plane says how a control plane of the run's own is. The zero value is a fresh one, that is gone afterwards.
type Plane struct {
	// DataDir keeps its data, credentials and port.
	DataDir string
	// Port is the port to listen on; 0 for the one that DataDir keeps, or any.
	Port int
	// PendingPods leaves pods pending.
	PendingPods bool
}

func (p Plane) isSet() bool { return p != Plane{} }

// Run runs until the context ends, and then stops controller, API server and etcd, in that order. The error is nil if
// that was all.
func Run(ctx context.Context, o Options) (err error) {
	reporter := ui.NewReporter(o.Err)
	crds, err := o.CRDs()
	if err != nil && (o.Builtin || errors.Is(err, fs.ErrNotExist)) {
		return err // otherwise the loop says it, and waits for a fix
	}
	if !o.Builtin {
		if o.modCache, err = checkGo(ctx, o.Root); err != nil {
			return interrupted(ctx, err)
		}
	}
	var sketch *operator.Sketch
	if o.Render != "" { // before a control plane is started for nothing
		if sketch, err = operator.ReadSketch(o.Render, o.In); err != nil {
			return err
		}
	}
	if o.Builtin {
		if err := operator.Check(o.builtinOptions(crds, reporter)); err != nil {
			return err
		}
	}
	target, err := connect(ctx, o, reporter)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil // Ctrl-C is how a run ends, whenever it comes; all has been undone
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.close()) }()
	startup.Done() // not before: the start of the API server is garbage collection, too
	trim.Server(ctx)

	if o.Builtin {
		return o.runBuiltin(ctx, target, crds, sketch, reporter)
	}
	return (&devLoop{Options: o, target: target, reporter: reporter}).run(ctx)
}

func names(crds []manifest.CRD) string {
	var all []string
	for _, c := range crds {
		all = append(all, c.Name)
	}
	return strings.Join(all, ", ")
}

// interrupted is an error, unless the context has ended: then it is only what that broke off.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return failure(ctx)
	}
	return err
}
