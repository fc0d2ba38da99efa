// SPDX-License-Identifier: Apache-2.0

// Package run is "crdctl run": a cluster to talk to, the project's CRDs in it, and a controller working on them.
//
// It puts together what others do: package controlplane is the cluster, package gen the generated files, package proc
// the controller's process, package builtin the controller that crdctl has built in. It does not parse flags.
package run

import (
	"context"
	"errors"
	"io/fs"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/controlplane/rbacaudit"
	"github.com/crdctl/crdctl/internal/run/builtin"
	"github.com/crdctl/crdctl/internal/run/target"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// Options say what to run, and where. Those that the built-in controller has too are its own.
type Options struct {
	builtin.Options
	// SkipGenerate leaves the generating to the user.
	SkipGenerate bool
	// Discovered tells that no crdctl.yaml says what is generated: that was found in the repository.
	Discovered bool
	// Project is nil for a run without one.
	Project *config.Project
	// Program is the controller where its sources could be read: it gets the flags that it needs on this machine.
	Program *mainpkg.Program
	// Located reports that the project's settings name no manifests: they are where Locate found them, or in its own chart.
	Located bool
	// Plane is about the control plane that is started.
	Plane Plane
	// Account is who the project's controller is; nil for an administrator.
	Account *rbacaudit.Account
	// Builtin runs the loop in crdctl instead of the project's controller.
	Builtin bool
	// NoController leaves it to the user to start the project's controller, and prints what it needs.
	NoController bool
	// BuildFlags are flags of go build for the controller. Race builds it with the race detector.
	BuildFlags []string
	Race       bool
	// Debugger runs the controller in Delve; nil for without.
	Debugger *Debugger
	// Once ends the run when the controller does not compile or ends by itself, instead of waiting for a change.
	Once bool
	// Args are handed to the project's controller.
	Args []string
	// Hurry is closed when the user does not want to wait for an orderly end.
	Hurry <-chan struct{}
	// BeforeExit registers a function to call before the process exits without waiting for the end; nil where it always waits.
	BeforeExit func(func())
	// Controller gets both outputs of the project's controller instead of Out and Err, where that is not nil.
	Controller *ui.MarginWriter
	// Recording says what is recorded of the run.
	Recording Recording
	// Keys are what the user presses during the run; nil where there is no terminal.
	Keys <-chan byte

	modCache  string // the go command's
	recording *recording
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
	if o.recording, err = o.record(reporter); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.recording.end(reporter)) }()
	defer o.recording.follow(ctx, o.Cluster.IsSet(), reporter)()
	closePage, err := o.recording.serve(ctx, o.Recording, reporter)
	if err != nil {
		return err
	}
	defer closePage()
	open := func() (*target.API, error) {
		t, err := connect(ctx, o, reporter)
		if err != nil {
			return nil, err
		}
		if err := o.recording.begin(); err != nil {
			return nil, errors.Join(err, t.Close())
		}
		return t, nil
	}
	if o.Builtin {
		o.Trace, o.TraceBodies = o.recording.sink(), o.Recording.Bodies
		return builtin.Run(ctx, o.Options, open)
	}
	if _, err := o.CRDs(); errors.Is(err, fs.ErrNotExist) {
		return err // any other error the loop reports, and waits for a fix
	}
	if o.modCache, err = checkGo(ctx, o.Root, o.races()); err == nil {
		err = checkBuildFlags(ctx, o.Root, "./"+o.Project.Controller.Package, o.BuildFlags)
	}
	if err == nil && o.Debugger != nil {
		err = o.Debugger.prepare()
	}
	if err != nil {
		return target.Interrupted(ctx, err)
	}
	return target.Use(ctx, open, func(t *target.API) error {
		return (&devLoop{Options: o, target: t, reporter: reporter, observe: o.recording.observed()}).run(ctx)
	})
}
