// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/controlplane/daemon"
	"github.com/crdctl/crdctl/internal/controlplane/record"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/redact"
	"github.com/crdctl/crdctl/internal/ui"
)

// RecordPlane returns what has a control plane in the background recorded in its memory, what is to be called when it has started, and when it
// has ended.
func RecordPlane(root, version string) (*record.Options, func(*controlplane.ControlPlane), func() error, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then no path is below it
	}
	redactor := redact.New(redact.Options{Project: root, Home: home})
	recorder, err := trace.New(trace.Options{Redact: redactor.Line, RedactBody: redactor.Body, Header: trace.Header{
		Crdctl: version, Kubernetes: controlplane.KubernetesVersion, Project: filepath.Base(root), Plane: trace.PlaneOwn, Bodies: trace.BodiesNone,
		Levels: planeLevels, Redacted: redactor.Rules(),
	}})
	if err != nil {
		return nil, nil, nil, err
	}
	started := func(plane *controlplane.ControlPlane) {
		redactor.Hide(plane.RESTConfig().BearerToken)
		redactor.Hide(plane.ControllerToken())
	}
	return &record.Options{Sink: recorder, Source: recorder, Redact: redactor, Bodies: trace.BodiesNone}, started, recorder.Close, nil
}

// join has what the control plane in the background records from now on be part of the recording of a run, which is then the whole one: it is
// served for "crdctl view". The function that it returns ends both. Where the control plane records nothing, nothing is served.
func (r *recording) join(ctx context.Context, o Options, config *rest.Config, reporter ui.Reporter) (served *daemon.Recording, end func(), err error) {
	if r == nil {
		return nil, func() {}, nil
	}
	asked := o.Recording.File != "" || o.Recording.Page
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, nil, err
	}
	from := trace.Remote{Client: client, URL: config.Host}
	switch err := recorded(ctx, from); {
	case errors.Is(err, trace.ErrNotRecorded) && asked:
		return nil, nil, errors.New("this project has a control plane in the background, which is not recorded, so --record and --ui cannot be used; run \"crdctl cluster stop\", then run again, or start it again with \"crdctl cluster start --findings\"")
	case errors.Is(err, trace.ErrNotRecorded):
		reporter.Note("its requests are not recorded, so findings about them are missing; to record them, run \"crdctl cluster stop\", then \"crdctl cluster start --findings\"")
		return nil, func() {}, nil
	case err != nil:
		return nil, nil, err
	case o.Recording.Bodies != trace.BodiesNone && o.Recording.Bodies != "":
		return nil, nil, fmt.Errorf("--record-bodies %s: the control plane in the background records metadata and status only; stop it with \"crdctl cluster stop\", or omit the flag", o.Recording.Bodies)
	case o.Recording.RedactConfigMaps:
		return nil, nil, errors.New("--redact: the control plane in the background redacts what it redacts by default, before this run; stop it with \"crdctl cluster stop\", or omit the flag")
	}
	served, withdraw, err := r.offer()
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var copying sync.WaitGroup
	copying.Go(func() {
		if err := trace.Copy(ctx, r.Recorder, from, r.rename); err != nil && ctx.Err() == nil {
			reporter.Note("requests are no longer recorded: %v", err)
		}
	})
	return served, func() { stop(); copying.Wait(); withdraw() }, nil
}

// recorded is an error where an API server has no recording.
func recorded(ctx context.Context, from trace.Remote) error {
	for _, err := range from.Records(ctx, 0) {
		return err
	}
	return trace.ErrNotRecorded
}

// rename names the project's controller, which the control plane in the background knows by its credential only.
func (r *recording) rename(a trace.Actor) trace.Actor {
	if a.Class == trace.ClassController {
		now := r.observe.Controller()
		a.Name, a.Agent, a.Build, a.PID = now.Name, now.Name, now.Build, now.PID
	}
	return a
}
