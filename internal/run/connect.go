// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/controlplane/daemon"
	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/crdctl/crdctl/internal/crd/compat"
	"github.com/crdctl/crdctl/internal/run/target"
	"github.com/crdctl/crdctl/internal/ui"
)

// startTimeout bounds the start of the control plane: it takes about a second, and ten times that on a bad day.
const startTimeout = 2 * time.Minute

// stopTimeout bounds its end.
const stopTimeout = 30 * time.Second

// connect starts a control plane, or takes the one in the background or the cluster that the options name, and says which
// it is before anything is done to it.
func connect(ctx context.Context, o Options, reporter ui.Reporter) (*target.API, error) {
	if o.Cluster.IsSet() {
		t, err := o.Cluster.Connect(reporter)
		if err != nil {
			return nil, err
		}
		t.Compare = compare
		return o.recording.proxied(t, o, reporter)
	}
	s, err := daemon.Status(o.Root)
	if err != nil {
		return nil, err
	}
	if s.Running && o.Plane.isSet() {
		return nil, errors.New("this project has a control plane in the background, so --data-dir, --port and --pods cannot be used; stop it with \"crdctl cluster stop\", or omit the flags")
	}
	dir, err := state.Open(o.Root)
	if errors.Is(err, state.ErrRunning) {
		if other, lookErr := daemon.RunStatus(o.Root); lookErr == nil && other != nil && other.PID != 0 {
			err = fmt.Errorf("process %d: %w", other.PID, err)
		}
	}
	if err != nil {
		return nil, err
	}
	release := sync.OnceValue(dir.Release)
	if o.BeforeExit != nil { // a start cannot be broken off: see controlplane.Start
		o.BeforeExit(func() { _ = release() })
	}
	controllerDir := ""
	if o.NoController {
		if controllerDir, err = dir.MakeController(); err != nil {
			return nil, errors.Join(err, release())
		}
	}
	began := time.Now().Truncate(time.Second)
	if err := daemon.Announce(dir, daemon.Foreground{Since: began}); err != nil {
		return nil, errors.Join(err, release())
	}
	var t *target.API
	var recording *daemon.Recording
	if s.Running {
		t, recording, err = connectToBackground(ctx, o, s, reporter)
	} else {
		t, err = startOwn(ctx, o, reporter)
	}
	if err != nil {
		return nil, errors.Join(err, release())
	}
	t.ControllerDir = controllerDir
	stop := t.Close
	if err := daemon.Announce(dir, daemon.Foreground{Since: began, URL: t.Config.Host, Kubeconfig: t.Kubeconfig, Recording: recording}); err != nil {
		return nil, errors.Join(err, stop(), release())
	}
	t.Close = func() error { return errors.Join(stop(), release()) }
	return t, nil
}

// startOwn starts a control plane in this process.
func startOwn(ctx context.Context, o Options, reporter ui.Reporter) (*target.API, error) {
	reporter.Note("starting the control plane")
	began := time.Now()
	startCtx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	defer ui.Repeat(ui.WaitEvery/3, ui.WaitEvery, func(passed time.Duration) {
		reporter.Note("waiting for etcd and the API server to be ready (%s of at most %s)", passed, startTimeout)
	})()
	plane, err := controlplane.Start(startCtx, controlplane.Options{
		Kubeconfig: state.Kubeconfig(o.Root), Dir: o.Plane.DataDir, Port: o.Plane.Port, PendingPods: o.Plane.PendingPods, Record: o.recording.options(o),
	})
	if err != nil {
		return nil, err
	}
	o.recording.hide(plane.RESTConfig().BearerToken, plane.ControllerToken())
	try := "; try \"crdctl kubectl get namespaces\""
	if o.Render != "" { // which ends at once
		try = ""
	}
	reporter.Note("control plane ready in %.1fs: Kubernetes %s at %s%s", time.Since(began).Seconds(), controlplane.KubernetesVersion, plane.URL(), try)
	if o.Plane.DataDir != "" {
		reporter.Note("objects are kept in %s; the kubeconfig %s stays the same in later runs", o.Plane.DataDir, filepath.Join(o.Plane.DataDir, "kubeconfig"))
	}
	return &target.API{
		Config: plane.RESTConfig(), Kubeconfig: plane.Kubeconfig(), ControllerToken: plane.ControllerToken(), Ours: true, Kept: o.Plane.DataDir != "", DataDir: o.Plane.DataDir,
		Install: controlplane.InstallCRDsPromptly, Compare: compare,
		Ended: plane.Done(),
		Why:   func() error { return fmt.Errorf("the control plane stopped: %w", whyEnded(plane.Err())) },
		Close: func() error {
			reporter.Note("stopping the control plane")
			stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
			defer cancel()
			return plane.Stop(stopCtx)
		},
	}, nil
}

// whyEnded ends in what to do about it.
func whyEnded(err error) error {
	switch {
	case err == nil:
		return errors.New("its API server stopped; run again with -v 2 to see what it logs")
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w; free some space, or use another disk with TMPDIR or --data-dir, and run again", err)
	default:
		return fmt.Errorf("%w; run again with -v 2 to see what it logs", err)
	}
}

// connectToBackground takes the control plane that "crdctl cluster start" has started.
func connectToBackground(ctx context.Context, o Options, s daemon.State, reporter ui.Reporter) (*target.API, *daemon.Recording, error) {
	if !s.Ready {
		return nil, nil, errors.New("the control plane in the background is still starting; try again")
	}
	k, err := daemon.Kubeconfig(o.Root)
	if err != nil {
		return nil, nil, err
	}
	content, err := k.Encode()
	if err != nil {
		return nil, nil, err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(content)
	if err != nil {
		return nil, nil, err
	}
	config.QPS = -1 // the server is ours alone
	config.UserAgent = controlplane.UserAgent
	token, err := daemon.ControllerToken(o.Root)
	if err != nil {
		return nil, nil, err
	}
	reporter.Note("using the control plane in the background at %s", s.URL)
	o.recording.hide(config.BearerToken, token)
	recording, end, err := o.recording.join(ctx, o, config, reporter)
	if err != nil {
		return nil, nil, err
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	return &target.API{
		Config: config, Kubeconfig: s.Kubeconfig, ControllerToken: token, Ours: true, Install: controlplane.InstallCRDsPromptly, Compare: compare, Kept: true,
		Ended: daemon.Ended(watching, o.Root),
		Why: func() error {
			return errors.New("the control plane in the background stopped; start it again with \"crdctl cluster start\"; \"crdctl cluster status\" names its log")
		},
		Close: func() error { stop(); end(); return nil },
	}, recording, nil
}

// compare lists what a changed CRD does to stored objects.
func compare(ctx context.Context, before, after *apiextv1.CustomResourceDefinition, stored target.Stored) (string, error) {
	findings, err := compat.CheckStored(ctx, before, after, stored)
	if err != nil || len(findings) == 0 {
		return "", err
	}
	return compat.Text(findings), nil
}
