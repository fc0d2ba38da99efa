// Package api is an API server as benchmarks see it: from outside, with plain requests. It does not know what is measured.
package api

import (
	"context"
	"fmt"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crdctl/crdctl/e2e/internal/harness/program"
)

// Server is an API server, seen from outside.
type Server struct{ Client rest.Interface }

// Connect waits for a kubeconfig and makes a client of it, that waits for no limit of its own.
func Connect(ctx context.Context, kubeconfig string, ended <-chan struct{}) (*Server, error) {
	err := program.Poll(ctx, ended, func(context.Context) bool {
		_, err := os.Stat(kubeconfig)
		return err == nil
	})
	if err != nil {
		return nil, fmt.Errorf("wait for the kubeconfig: %w", err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &Server{clients.Discovery().RESTClient()}, nil
}

// Ready waits for the first 200 of /readyz.
func (a *Server) Ready(ctx context.Context, ended <-chan struct{}) error {
	err := program.Poll(ctx, ended, func(ctx context.Context) bool {
		return a.Client.Get().AbsPath("/readyz").MaxRetries(0).Do(ctx).Error() == nil
	})
	if err != nil {
		return fmt.Errorf("wait for /readyz: %w", err)
	}
	return nil
}

// Create creates an object with a plain POST, which is what clients do.
func (a *Server) Create(ctx context.Context, path string, object []byte) error {
	return a.Client.Post().AbsPath(path).SetHeader("Content-Type", "application/json").Body(object).MaxRetries(0).Do(ctx).Error()
}

// Insist creates an object as soon as that works. It returns the last error if it does not.
func (a *Server) Insist(ctx context.Context, ended <-chan struct{}, path string, object []byte) error {
	var last error
	err := program.Poll(ctx, ended, func(ctx context.Context) bool {
		last = a.Create(ctx, path, object)
		return last == nil
	})
	if err != nil {
		return fmt.Errorf("create an object at %s: %w: %w", path, err, last)
	}
	return nil
}
