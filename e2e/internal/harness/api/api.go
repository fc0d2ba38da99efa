// SPDX-License-Identifier: Apache-2.0

// Package api is an API server as benchmarks see it: from outside, with plain requests. It does not know what is measured.
package api

import (
	"context"
	"fmt"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

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

// Answers waits for the first 200 of a path.
func (a *Server) Answers(ctx context.Context, ended <-chan struct{}, path string) error {
	err := program.Poll(ctx, ended, func(ctx context.Context) bool {
		return a.Client.Get().AbsPath(path).MaxRetries(0).Do(ctx).Error() == nil
	})
	if err != nil {
		return fmt.Errorf("wait for %s: %w", path, err)
	}
	return nil
}

// Install creates a CRD, with no more than an API, and waits until its objects are served at a path.
func (a *Server) Install(ctx context.Context, ended <-chan struct{}, crd []byte, path string) error {
	object, err := yaml.YAMLToJSON(crd)
	if err != nil {
		return err
	}
	if err := a.Insist(ctx, ended, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", object); err != nil {
		return err
	}
	return a.Answers(ctx, ended, path)
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
