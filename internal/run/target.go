package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/scratch"
	"github.com/crdctl/crdctl/internal/statedir"
)

// startTimeout bounds the start of the control plane: it takes about a second, and ten times that on a bad day.
const startTimeout = 2 * time.Minute

// stopTimeout bounds its end.
const stopTimeout = 30 * time.Second

// target is the API that a run talks to.
type target struct {
	config     *rest.Config
	kubeconfig string // for the controller's process
	install    func(ctx context.Context, crds ...*apiextv1.CustomResourceDefinition) error
	plane      *controlplane.ControlPlane // nil for a cluster that exists
	close      func() error
}

// connect starts a control plane, or takes the cluster that the options name, and says which it is before anything
// is done to it.
func connect(ctx context.Context, o Options, say sayer) (*target, error) {
	if o.Cluster.isSet() {
		return connectTo(o.Cluster, say)
	}
	state, err := statedir.Acquire(o.Root)
	if err != nil {
		return nil, err
	}
	say("starting the control plane")
	began := time.Now()
	startCtx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	plane, err := controlplane.Start(startCtx, controlplane.Options{Kubeconfig: statedir.Kubeconfig(o.Root)})
	if err != nil {
		return nil, errors.Join(err, state.Release())
	}
	say("control plane ready in %.1fs: Kubernetes %s at %s; try \"crdctl kubectl get namespaces\"",
		time.Since(began).Seconds(), controlplane.KubernetesVersion, plane.URL())
	return &target{
		config: plane.RESTConfig(), kubeconfig: plane.Kubeconfig(), install: plane.InstallCRDs, plane: plane,
		close: func() error {
			say("stopping the control plane")
			stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
			defer cancel()
			return errors.Join(plane.Stop(stopCtx), state.Release())
		},
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
	_ = scratch.Sweep(os.TempDir(), scratch.RunPrefix) // what killed runs left must not stop this one
	dir, err := scratch.New(os.TempDir(), scratch.RunPrefix)
	if err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(dir.Path, "kubeconfig")
	if err := os.WriteFile(kubeconfig, single, 0o600); err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	return &target{
		config: config, kubeconfig: kubeconfig,
		install: func(ctx context.Context, crds ...*apiextv1.CustomResourceDefinition) error {
			return controlplane.InstallCRDs(ctx, config, crds...)
		},
		close: dir.Remove,
	}, nil
}

// boundTo returns a context that also ends when the control plane does.
func (t *target) boundTo(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if t.plane != nil {
		go func() {
			select {
			case <-t.plane.Done():
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}

// failure is why the control plane ended by itself, or nil.
func (t *target) failure() error {
	if t.plane == nil {
		return nil
	}
	select {
	case <-t.plane.Done():
		return fmt.Errorf("the control plane ended by itself: %w; run again with -v 2 to see what it logs", errors.Join(errors.New("API server stopped"), t.plane.Err()))
	default:
		return nil
	}
}
