package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// pollInterval is how often is looked whether something has happened; times are as exact as that.
const pollInterval = 2 * time.Millisecond

// api is an API server, seen from outside.
type api struct{ client rest.Interface }

// connect waits for a kubeconfig and makes a client of it, that waits for no limit of its own.
func connect(ctx context.Context, kubeconfig string, ended <-chan struct{}) (*api, error) {
	err := poll(ctx, ended, func(context.Context) bool {
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
	return &api{clients.Discovery().RESTClient()}, nil
}

// ready waits for the first 200 of /readyz.
func (a *api) ready(ctx context.Context, ended <-chan struct{}) error {
	err := poll(ctx, ended, func(ctx context.Context) bool {
		return a.client.Get().AbsPath("/readyz").MaxRetries(0).Do(ctx).Error() == nil
	})
	if err != nil {
		return fmt.Errorf("wait for /readyz: %w", err)
	}
	return nil
}

// create creates an object with a plain POST, which is what clients do.
func (a *api) create(ctx context.Context, path string, object []byte) error {
	return a.client.Post().AbsPath(path).SetHeader("Content-Type", "application/json").Body(object).MaxRetries(0).Do(ctx).Error()
}

// insist creates an object as soon as that works. It returns the last error if it does not.
func (a *api) insist(ctx context.Context, ended <-chan struct{}, path string, object []byte) error {
	var last error
	err := poll(ctx, ended, func(ctx context.Context) bool {
		last = a.create(ctx, path, object)
		return last == nil
	})
	if err != nil {
		return fmt.Errorf("create an object at %s: %w: %w", path, err, last)
	}
	return nil
}

// poll looks until something has happened, the program has ended, or it took too long.
func poll(ctx context.Context, ended <-chan struct{}, happened func(context.Context) bool) error {
	return wait.PollUntilContextTimeout(ctx, pollInterval, patience, true, func(ctx context.Context) (bool, error) {
		select {
		case <-ended:
			return false, fmt.Errorf("the program has ended")
		default:
			return happened(ctx), nil
		}
	})
}
