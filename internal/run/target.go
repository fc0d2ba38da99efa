package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/background"
	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/scratch"
	"github.com/crdctl/crdctl/internal/statedir"
	"github.com/crdctl/crdctl/internal/watch"
)

// startTimeout bounds the start of the control plane: it takes about a second, and ten times that on a bad day.
const startTimeout = 2 * time.Minute

// stopTimeout bounds its end.
const stopTimeout = 30 * time.Second

// target is the API that a run talks to.
type target struct {
	config     *rest.Config
	kubeconfig string // for the controller's process
	// ours tells a control plane of crdctl's from a cluster that exists, in which others have objects.
	ours bool
	// kept tells that the control plane, or at least its data, outlasts the run.
	kept  bool
	ended <-chan struct{} // closed when the control plane has ended; nil for a cluster that exists
	why   func() error    // it ended, once ended is closed
	close func() error
}

// connect starts a control plane, or takes the one in the background or the cluster that the options name, and says which
// it is before anything is done to it.
func connect(ctx context.Context, o Options, say sayer) (*target, error) {
	if o.Cluster.isSet() {
		return connectTo(o.Cluster, say)
	}
	s, err := background.Look(o.Root)
	if err != nil {
		return nil, err
	}
	if s.Running && o.Plane.isSet() {
		return nil, errors.New("a control plane runs in the background for this project, and --data-dir, --port and --pods are for one of the run's own; stop it first with \"crdctl cluster stop\", or leave them out")
	}
	state, err := statedir.Acquire(o.Root)
	if err != nil {
		return nil, err
	}
	var t *target
	if s.Running {
		t, err = connectToBackground(ctx, o, s, say)
	} else {
		t, err = startOwn(ctx, o, say)
	}
	if err != nil {
		return nil, errors.Join(err, state.Release())
	}
	stop := t.close
	t.close = func() error { return errors.Join(stop(), state.Release()) }
	return t, nil
}

// startOwn starts a control plane in this process.
func startOwn(ctx context.Context, o Options, say sayer) (*target, error) {
	say("starting the control plane")
	began := time.Now()
	startCtx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	plane, err := controlplane.Start(startCtx, controlplane.Options{
		Kubeconfig: statedir.Kubeconfig(o.Root), Dir: o.Plane.DataDir, Port: o.Plane.Port, PendingPods: o.Plane.PendingPods,
	})
	if err != nil {
		return nil, err
	}
	say("control plane ready in %.1fs: Kubernetes %s at %s; try \"crdctl kubectl get namespaces\"",
		time.Since(began).Seconds(), controlplane.KubernetesVersion, plane.URL())
	if o.Plane.DataDir != "" {
		say("its data are kept in %s; the kubeconfig %s is good for all runs with them", o.Plane.DataDir, filepath.Join(o.Plane.DataDir, "kubeconfig"))
	}
	return &target{
		config: plane.RESTConfig(), kubeconfig: plane.Kubeconfig(), ours: true, kept: o.Plane.DataDir != "",
		ended: plane.Done(),
		why:   func() error { return whyEnded(plane.Err()) },
		close: func() error {
			say("stopping the control plane")
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
		return fmt.Errorf("%w; make room there, or name a disk that has it with TMPDIR or --data-dir, and run again", err)
	default:
		return fmt.Errorf("%w; run again with -v 2 to see what it logs", err)
	}
}

// connectToBackground takes the control plane that "crdctl cluster start" has started.
func connectToBackground(ctx context.Context, o Options, s background.State, say sayer) (*target, error) {
	if !s.Ready {
		return nil, errors.New("the control plane in the background is just being started; try again")
	}
	config, _, _, err := Cluster{Kubeconfig: s.Kubeconfig}.load()
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // the server is ours alone
	say("using the control plane that runs in the background, at %s", s.URL)
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	return &target{
		config: config, kubeconfig: s.Kubeconfig, ours: true, kept: true,
		ended: background.Ended(watching, o.Root),
		why: func() error {
			return errors.New("the process in the background stopped; see \"crdctl cluster status\"")
		},
		close: func() error { stop(); return nil },
	}, nil
}

// connectTo takes a cluster that exists. The controller's process gets a kubeconfig of its own, that holds this one
// cluster: it can't pick another.
func connectTo(c Cluster, say sayer) (*target, error) {
	config, single, source, err := c.load()
	if err != nil {
		return nil, err
	}
	say("using the API at %s (%s)", config.Host, source)
	dir, err := scratch.NewRun()
	if err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(dir.Path, "kubeconfig")
	if err := os.WriteFile(kubeconfig, single, 0o600); err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	return &target{config: config, kubeconfig: kubeconfig, kept: true, close: dir.Remove}, nil
}

// install installs CRDs.
func (t *target) install(ctx context.Context, crds ...*apiextv1.CustomResourceDefinition) error {
	if t.ours {
		return controlplane.InstallCRDsPromptly(ctx, t.config, crds...)
	}
	return controlplane.InstallCRDs(ctx, t.config, crds...)
}

// boundTo returns a context that also ends when the control plane does, or when a folder of the run is moved; its cause
// is why.
func (t *target) boundTo(ctx context.Context, o Options) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	moved := watch.Moved(ctx, o.Root, o.Plane.DataDir)
	go func() {
		select {
		case <-t.ended:
			cancel(brokenError{fmt.Errorf("the control plane ended by itself: %w", t.why())})
		case path := <-moved:
			cancel(brokenError{fmt.Errorf("%s was moved or removed while crdctl ran in it; run again where it is now", path)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// brokenError is why a run ended that nobody ended.
type brokenError struct{ error }

// failure is why the context ended, or nil if somebody wanted that.
func failure(ctx context.Context) error {
	if broken, ok := errors.AsType[brokenError](context.Cause(ctx)); ok {
		return broken.error
	}
	return nil
}
