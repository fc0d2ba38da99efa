package run

import (
	"context"
	"errors"
	"fmt"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/fswatch"
)

// target is the API that a run talks to.
type target struct {
	config     *rest.Config
	kubeconfig string // for the controller's process
	// controllerDir is a directory with the same path in every run for what the controller reads; "" where the run has none but its own.
	controllerDir string
	// ours tells a control plane of crdctl's from a cluster that exists, in which others have objects.
	ours bool
	// kept tells that the control plane, or at least its data, outlasts the run.
	kept  bool
	ended <-chan struct{} // closed when the control plane has ended; nil for a cluster that exists
	why   func() error    // it ended, once ended is closed
	close func() error
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
	moved := fswatch.Moved(ctx, o.Root, o.Plane.DataDir)
	go func() {
		select {
		case <-t.ended:
			cancel(brokenError{fmt.Errorf("the control plane stopped: %w", t.why())})
		case path := <-moved:
			cancel(brokenError{fmt.Errorf("%s was moved or removed during the run; run again from its new location", path)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// brokenError is why a run ends that no client ended: waiting for a change would not help.
type brokenError struct{ error }

func (e brokenError) Unwrap() error { return e.error }

// failure is why the context ended, or nil if the user or the caller ended it.
func failure(ctx context.Context) error {
	if broken, ok := errors.AsType[brokenError](context.Cause(ctx)); ok {
		return broken.error
	}
	return nil
}
