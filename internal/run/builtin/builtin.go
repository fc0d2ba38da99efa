// SPDX-License-Identifier: Apache-2.0

// Package builtin is "crdctl run --builtin": the controller of package operator on a cluster, with the project's CRDs in it.
//
// It starts no control plane and knows nothing of a project's own controller.
package builtin

import (
	"context"
	"crypto/rand"
	"errors"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/operator"
	"github.com/crdctl/crdctl/internal/run/target"
	"github.com/crdctl/crdctl/internal/startup/trim"
	"github.com/crdctl/crdctl/internal/tempdir"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/ui"
)

// Options say what the controller works on, and where.
type Options struct {
	// Root is the directory that the run belongs to: the project's, or any other for a run without a project.
	Root string
	// CRDs returns the CRDs to install; with a controller of the project it is called again when a manifest changed. CRDFiles are where
	// they are, where that is not the project's directory of CRDs.
	CRDs     func() ([]manifest.CRD, error)
	CRDFiles []string
	// SkipCRDs leaves the installing to the user.
	SkipCRDs bool
	// Cluster names a cluster that exists. Left empty, a control plane is started.
	Cluster target.Cluster
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
	// CRDNames are CRDs that the cluster has or will have, for the built-in loop to follow instead of those of CRDs.
	CRDNames []string
	// Render is a file with an object for which the built-in loop shows what it would do; "-" for standard input.
	Render string
	// Trace takes records of what the built-in loop does; nil records nothing. With TraceBodies other than none, also questions to hooks
	// and their answers.
	Trace       trace.Sink
	TraceBodies trace.Bodies
	// Debug shows the built-in controller's pipeline, Quiet shows only what is wrong, and Color colors its log.
	Debug, Quiet, Color bool
	// In is where an object to render is read from that no file is named for.
	In io.Reader
	// Out and Err are the controller's standard output and error; crdctl's own messages go to Err too.
	Out, Err io.Writer
}

// Run runs the controller that is built in on the kinds of the CRDs until the context ends, or shows what it would do.
func Run(ctx context.Context, o Options, connect func() (*target.API, error)) error {
	reporter := ui.NewReporter(o.Err)
	crds, err := o.CRDs()
	if err != nil {
		return err
	}
	var sketch *operator.Sketch
	if o.Render != "" { // before a control plane is started for nothing
		if sketch, err = operator.ReadSketch(o.Render, o.In); err != nil {
			return err
		}
	}
	if err := operator.Check(o.operator(crds, reporter)); err != nil {
		return err
	}
	if sketch != nil {
		if err := sketch.CheckKind(o.operator(crds, reporter)); err != nil {
			return err
		}
	}
	return target.Use(ctx, connect, func(t *target.API) error { return o.on(ctx, t, crds, sketch, reporter) })
}

// on runs the controller on an API server.
func (o Options) on(ctx context.Context, t *target.API, crds []manifest.CRD, sketch *operator.Sketch, reporter ui.Reporter) (err error) {
	mark, unmark, err := o.mark()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unmark()) }()
	ctx, stop := t.BoundTo(ctx, o.Root)
	defer stop()
	b := o.operator(crds, reporter)
	b.Config, b.Own, b.Mark = t.LoopConfig(), t.Ours, mark
	// A preview changes nothing in a cluster of the user's.
	if install := len(crds) > 0 && len(o.CRDNames) == 0 && !o.SkipCRDs; install && (sketch == nil || t.Ours) {
		if err := t.InstallCRDs(ctx, crds, reporter); err != nil {
			return target.Interrupted(ctx, err)
		}
	}
	if b.Leases && b.LeaseNamespace == "" {
		b.LeaseNamespace = metav1.NamespaceDefault // of a control plane of crdctl's own
	}
	if o.Cluster.IsSet() && b.Leases && o.LeaseNamespace == "" {
		if b.LeaseNamespace, err = o.Cluster.Namespace(); err != nil {
			return err
		}
	}
	if o.Cluster.IsSet() { // no control plane begins in this process, whose start would bring all of that back
		trim.Heap() // the collector's goal is the one of the start until it has run
		trim.Program()
	}
	if sketch != nil {
		return target.Interrupted(ctx, operator.Render(ctx, b, sketch))
	}
	if notice := onlyStatus(o.Loop); notice != "" {
		reporter.Note("%s", notice)
	}
	WatchClock(ctx, reporter)
	return target.Interrupted(ctx, operator.Run(ctx, b))
}

// operator are the options of the controller that is built in, before it has a cluster.
func (o Options) operator(crds []manifest.CRD, reporter ui.Reporter) operator.Options {
	b := operator.Options{
		Own: !o.Cluster.IsSet(), Root: o.Root, Loop: o.Loop, CRDNames: o.CRDNames,
		Leases: o.Leases, LeaseNamespace: o.LeaseNamespace, MetricsAddr: o.MetricsAddr, Profiling: o.Profiling, NoEvents: o.NoEvents,
		Trace: o.Trace, TraceBodies: o.TraceBodies, Log: newLogger(o.Err, o.Debug, o.Quiet, o.Color), Reporter: reporter, Out: o.Out,
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

// onlyStatus is the notice about a loop that decides on objects but owns no kinds; "" for any other.
func onlyStatus(l config.Loop) string {
	const unset = "--owns (loop.owns) is not set: "
	switch {
	case len(l.Owns) > 0:
		return ""
	case l.Template != "":
		return unset + "the templates can only set the status, and each child that they render is an error"
	case l.Hook != "":
		return unset + "the hook can only set the status, and each child that it returns is an error"
	}
	return ""
}
