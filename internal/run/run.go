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

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/loop"
	"github.com/crdctl/crdctl/internal/project"
	"github.com/crdctl/crdctl/internal/startup"
)

// Options say what to run, and where.
type Options struct {
	// Root is the folder that the run belongs to: the project's, or any other for a run without a project.
	Root string
	// Project is nil for a run without one.
	Project *project.Project
	// CRDs returns the CRDs to install; it is called again when a manifest changed.
	CRDs func() ([]*apiextv1.CustomResourceDefinition, error)
	// SkipCRDs leaves the installing to somebody else.
	SkipCRDs bool
	// Cluster names a cluster that exists. Left empty, a control plane is started.
	Cluster Cluster
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

	if !o.SkipCRDs && len(crds) > 0 {
		if err := target.install(ctx, crds...); err != nil {
			return interrupted(ctx, err)
		}
		say("installed %s", names(crds))
	}
	if o.Builtin {
		return o.runBuiltin(ctx, target, crds, say)
	}
	dev := &devLoop{Options: o, target: target, say: say, installed: crds}
	return dev.run(ctx)
}

// runBuiltin runs the loop of package loop on all kinds of the CRDs.
func (o Options) runBuiltin(ctx context.Context, t *target, crds []*apiextv1.CustomResourceDefinition, say sayer) error {
	kinds, err := loop.KindsOf(crds...)
	if err != nil {
		return err
	}
	if len(kinds) == 0 {
		return errors.New("no CustomResourceDefinition to work on; name a manifest with -f")
	}
	say("running the built-in controller; stop with Ctrl-C")
	ctx, stop := t.boundTo(ctx)
	defer stop()
	err = loop.Run(ctx, loop.Options{
		Config: t.config, Kinds: kinds, Workers: o.Workers, Resync: o.Resync, Namespace: o.Namespace,
		Log: newLogger(o.Err, o.Debug, o.Color),
	})
	return errors.Join(err, t.failure())
}

// sayer prints a line of crdctl's own.
type sayer func(format string, args ...any)

func names(crds []*apiextv1.CustomResourceDefinition) string {
	var all []string
	for _, c := range crds {
		all = append(all, c.Name)
	}
	return strings.Join(all, ", ")
}

// interrupted is nil if the context has ended, since then the error is only what that broke off.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
