// SPDX-License-Identifier: Apache-2.0

package standalone

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/startup/trim"
)

// ControllersVariable is set in the environment of an API server that is to collect garbage and to empty deleted namespaces.
const ControllersVariable = "CRDCTL_ENVTEST_CONTROLLERS"

const (
	// drainPatience is how long requests in flight may take once the stop has begun, watches aside.
	drainPatience = time.Second
	// stopPatience is how long the rest of the stop may take.
	stopPatience = 2 * time.Second
)

// serve is app.Run, until the process is asked to stop or its parent has ended.
func serve(o options.CompletedOptions) error {
	config, err := app.NewConfig(o)
	if err != nil {
		return err
	}
	if os.Getenv(ControllersVariable) != "" {
		if err := controlplane.WithCollectors(config); err != nil {
			return err
		}
	}
	server, err := controlplane.NewQuick(config)
	if err != nil {
		return err
	}
	prepared, err := server.PrepareRun()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	endWithParent(stop)
	trim.Started(ctx)
	ended := make(chan error, 1)
	go func() { ended <- prepared.Run(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-server.Closed():
	case <-time.After(stopPatience + o.GenericServerRunOptions.ShutdownDelayDuration):
	}
	if o.GenericServerRunOptions.ShutdownWatchTerminationGracePeriod > 0 {
		return <-ended // how long watches may go on was asked for
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		server.GenericAPIServer.NonLongRunningRequestWaitGroup.Wait()
	}()
	select {
	case <-drained:
	case <-time.After(drainPatience):
	}
	server.Drop()
	select {
	case err := <-ended:
		return err
	case <-time.After(stopPatience):
		return nil // what is left does not matter to a process that ends
	}
}
