// Package run is "crdctl run": a cluster to talk to, the project's CRDs in it, and a controller working on them.
//
// It puts together what others do: package controlplane is the cluster, package gen the generated files, package proc
// the controller's process, package loop the controller that crdctl has built in. It does not parse flags.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/controlplane/access"
	"github.com/crdctl/crdctl/internal/loop"
	"github.com/crdctl/crdctl/internal/manifest"
	"github.com/crdctl/crdctl/internal/project"
	"github.com/crdctl/crdctl/internal/startup"
	"github.com/crdctl/crdctl/internal/startup/trim"
)

// Options say what to run, and where.
type Options struct {
	// Root is the folder that the run belongs to: the project's, or any other for a run without a project.
	Root string
	// Project is nil for a run without one.
	Project *project.Project
	// CRDs returns the CRDs to install; it is called again when a manifest changed. CRDFiles are where they are, where
	// that is not the project's folder of CRDs.
	CRDs     func() ([]manifest.CRD, error)
	CRDFiles []string
	// SkipCRDs leaves the installing to somebody else.
	SkipCRDs bool
	// Cluster names a cluster that exists. Left empty, a control plane is started.
	Cluster Cluster
	// Plane is about the control plane that is started.
	Plane Plane
	// Account is who the project's controller is; nil for an administrator.
	Account *access.Account
	// Builtin runs the loop in crdctl instead of the project's controller.
	Builtin bool
	// Once ends the run when the controller does not compile or ends by itself, instead of waiting for a change.
	Once bool
	// Workers and Resync are those of the built-in loop; Namespace restricts it to one.
	Workers   int
	Resync    time.Duration
	Namespace string
	// Args are handed to the project's controller.
	Args []string
	// Debug shows the built-in controller's pipeline, and Color colors its log.
	Debug, Color bool
	// Hurry is closed when the user does not want to wait for an orderly end.
	Hurry <-chan struct{}
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
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(o.Err, "crdctl: "+format+"\n", args...) }
	crds, err := o.CRDs()
	if err != nil {
		return err
	}
	target, err := connect(ctx, o, say)
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
		return o.runBuiltin(ctx, target, crds, say)
	}
	return (&devLoop{Options: o, target: target, say: say}).run(ctx)
}

// runBuiltin runs the loop of package loop on all kinds of the CRDs.
func (o Options) runBuiltin(ctx context.Context, t *target, crds []manifest.CRD, say sayer) error {
	kinds, err := loop.KindsOf(manifest.Definitions(crds)...)
	if err != nil {
		return err
	}
	if len(kinds) == 0 {
		return errors.New("no CustomResourceDefinition to work on; name a manifest with -f")
	}
	ctx, stop := t.boundTo(ctx, o)
	defer stop()
	cluster := &clusterSide{Options: o, target: t, say: say}
	if err := cluster.install(ctx); err != nil {
		return interrupted(ctx, err)
	}
	newClock(time.Now()).watch(ctx, say)
	say("running the built-in controller; stop with Ctrl-C")
	err = loop.Run(ctx, loop.Options{
		Config: t.config, Kinds: kinds, Workers: o.Workers, Resync: o.Resync, Namespace: o.Namespace,
		Log: newLogger(o.Err, o.Debug, o.Color),
	})
	return errors.Join(err, failure(ctx))
}

// sayer prints a line of crdctl's own.
type sayer func(format string, args ...any)

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
