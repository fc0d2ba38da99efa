// SPDX-License-Identifier: Apache-2.0

// Package target is the API server that a run talks to: a cluster that exists, or what package run makes of a control plane of crdctl's.
//
// It starts no control plane and links none, so that the loop build has it, too.
package target

import (
	"context"
	"errors"
	"fmt"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/startup"
	"github.com/crdctl/crdctl/internal/startup/trim"
)

// API is the API server that a run talks to.
type API struct {
	Config     *rest.Config
	Kubeconfig string // for the controller's process
	// ControllerToken replaces the credential of Kubeconfig for the controller's process; "" where it has none of its own.
	ControllerToken string
	// ControllerDir is a directory with the same path in every run for what the controller reads; "" where the run has none but its own.
	ControllerDir string
	// Ours tells a control plane of crdctl's from a cluster that exists, in which others have objects.
	Ours bool
	// Kept reports that the control plane, or at least its data, outlasts the run.
	Kept bool
	// DataDir is where a control plane of the run keeps its data; "" for elsewhere.
	DataDir string
	Ended   <-chan struct{} // closed when the control plane has ended; nil for a cluster that exists
	Why     func() error    // it ended, once Ended is closed
	Close   func() error
	// Install installs CRDs and waits until they are served.
	Install func(ctx context.Context, config *rest.Config, crds ...*apiextv1.CustomResourceDefinition) error
	// Compare lists what a changed CRD does to stored objects, "" for no harm. It is nil in a build that cannot tell.
	Compare func(ctx context.Context, before, after *apiextv1.CustomResourceDefinition, stored Stored) (string, error)
}

// Stored hands out the objects of a CRD one after the other, and keeps none. It ends with the error of each.
type Stored = func(each func(*unstructured.Unstructured) error) error

// LoopConfig is Config for the built-in controller, which has a user agent of its own.
func (t *API) LoopConfig() *rest.Config {
	config := rest.CopyConfig(t.Config)
	if t.Ours {
		config.UserAgent = ""
	}
	return config
}

// Use connects, runs a function on the API server, and closes the connection when it returns.
func Use(ctx context.Context, connect func() (*API, error), run func(*API) error) (err error) {
	t, err := connect()
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil // Ctrl-C is how a run ends, whenever it comes; all has been undone
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	startup.Done() // not before: the start of the API server is garbage collection, too
	trim.Server(ctx)
	return run(t)
}

// BoundTo returns a context that also ends when the control plane does, or when the directory of the run, or that of its data, is moved; its cause
// is why.
func (t *API) BoundTo(ctx context.Context, root string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	moved := fswatch.Moved(ctx, root, t.DataDir)
	go func() {
		select {
		case <-t.Ended:
			cancel(BrokenError{t.Why()})
		case path := <-moved:
			cancel(BrokenError{fmt.Errorf("%s was moved or removed during the run; run again from its new location", path)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// BrokenError is why a run ends that no client ended: waiting for a change would not help.
type BrokenError struct{ error }

func (e BrokenError) Unwrap() error { return e.error }

// Broken is a BrokenError.
func Broken(err error) error { return BrokenError{err} }

// Failure is why the context ended, or nil if the user or the caller ended it.
func Failure(ctx context.Context) error {
	if broken, ok := errors.AsType[BrokenError](context.Cause(ctx)); ok {
		return broken.error
	}
	return nil
}

// Interrupted is an error, unless the context has ended: then it is only what that broke off.
func Interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return Failure(ctx)
	}
	return err
}
