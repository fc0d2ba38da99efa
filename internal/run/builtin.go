package run

import (
	"context"
	"crypto/rand"
	"errors"
	"runtime/debug"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/operator"
	"github.com/crdctl/crdctl/internal/startup/trim"
	"github.com/crdctl/crdctl/internal/tempdir"
	"github.com/crdctl/crdctl/internal/ui"
)

// runBuiltin runs the controller that is built in on the kinds of the CRDs, or shows what it would do.
func (o Options) runBuiltin(ctx context.Context, t *target, crds []manifest.CRD, sketch *operator.Sketch, reporter ui.Reporter) (err error) {
	mark, unmark, err := o.mark()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unmark()) }()
	ctx, stop := t.boundTo(ctx, o)
	defer stop()
	b := o.builtinOptions(crds, reporter)
	b.Config, b.Own, b.Mark = t.config, t.ours, mark
	if len(o.CRDNames) == 0 {
		in := &installer{Options: o, target: t, reporter: reporter, broken: map[string]bool{}}
		if sketch == nil || t.ours { // a preview changes nothing in a cluster of somebody's
			if err := in.install(ctx); err != nil {
				return interrupted(ctx, err)
			}
		}
	}
	if b.Leases && b.LeaseNamespace == "" {
		b.LeaseNamespace = metav1.NamespaceDefault // of a control plane of crdctl's own
	}
	if o.Cluster.isSet() && b.Leases && o.LeaseNamespace == "" {
		if b.LeaseNamespace, err = o.Cluster.Namespace(); err != nil {
			return err
		}
	}
	if o.Cluster.isSet() { // no control plane begins in this process, whose start would bring all of that back
		debug.FreeOSMemory() // the collector's goal is the one of the start until it has run
		trim.Program()
	}
	if sketch != nil {
		return interrupted(ctx, operator.Render(ctx, b, sketch))
	}
	watchClock(ctx, reporter)
	return interrupted(ctx, operator.Run(ctx, b))
}

// builtinOptions are the options of the controller that is built in, before it has a cluster.
func (o Options) builtinOptions(crds []manifest.CRD, reporter ui.Reporter) operator.Options {
	b := operator.Options{
		Own: !o.Cluster.isSet(), Root: o.Root, Loop: o.Loop, CRDNames: o.CRDNames,
		Leases: o.Leases, LeaseNamespace: o.LeaseNamespace, MetricsAddr: o.MetricsAddr, Profiling: o.Profiling, NoEvents: o.NoEvents,
		Log: newLogger(o.Err, o.Debug, o.Quiet, o.Color), Reporter: reporter, Out: o.Out,
	}
	if len(o.CRDNames) == 0 {
		b.CRDs = manifest.Definitions(crds)
	}
	return b
}

// mark returns what the descendants of hooks are found by. It is the name of a temporary directory: should this process be killed, the next
// run sweeps the directory and ends them. A pod may have no disk to write to, and its container ends with everything in it.
func (o Options) mark() (mark string, unmark func() error, err error) {
	if o.Loop.Hook == "" {
		return "", func() error { return nil }, nil
	}
	if o.Cluster.InCluster {
		return rand.Text(), func() error { return nil }, nil
	}
	dir, err := tempdir.NewRun()
	if err != nil {
		return "", nil, err
	}
	return tempdir.Mark(dir.Path), dir.Remove, nil
}
