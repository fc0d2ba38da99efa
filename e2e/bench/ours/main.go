// SPDX-License-Identifier: Apache-2.0

// Command ours is crdctl's control loop with a reconciler that gets the object from the cache and does nothing: one of the
// programs that BenchmarkLoop compares. It is not part of crdctl.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crdctl/crdctl/e2e/bench/harness"
	"github.com/crdctl/crdctl/internal/operator/controller"
)

func main() { harness.Main(run) }

// keeping are the variants: how much of an object the loop has to keep.
var keeping = map[string]controller.Keeping{
	"whole": controller.KeepsWhole, "until-reconciled": controller.KeepsUntilReconciled, "metadata": controller.KeepsIdentity,
}

func run(ctx context.Context, h *harness.Harness) error {
	config, err := clientcmd.BuildConfigFromFlags("", h.Kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	keeps, known := keeping[h.Variant]
	if !known {
		return fmt.Errorf("there is no variant %q", h.Variant)
	}
	return controller.Run(ctx, controller.Options{
		Config: config, Workers: h.Workers, NoEvents: true, Log: slog.New(slog.DiscardHandler),
		Kinds:      []controller.Kind{{Resource: schema.GroupVersionResource{Group: "bench.example.com", Version: "v1", Resource: "widgets"}, Kind: "Widget", Namespaced: true}},
		Reconciler: func(controller.Handle) (controller.Reconciler, error) { return reconciler{h, keeps}, nil },
	})
}

// reconciler does nothing: the loop has got the object from its cache already.
type reconciler struct {
	h     *harness.Harness
	keeps controller.Keeping
}

func (r reconciler) Reconcile(_ context.Context, request controller.Request) (controller.Result, error) {
	began := time.Now()
	if request.Object != nil {
		r.h.Saw(began, request.Object.Name(), request.Object.ResourceVersion())
	}
	return controller.Result{Quiet: true}, nil
}

func (r reconciler) Keeps() controller.Keeping { return r.keeps }

func (r reconciler) Forget(cache.ObjectName) {}

func (r reconciler) Resyncs() bool { return false }
