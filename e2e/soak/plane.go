package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/internal/controlplane/state"
)

// plane is crdctl's control plane, which is a real API server, as a process of its own with kept data.
type plane struct {
	*process
	api        *api.Server
	kubeconfig string
}

// startPlane starts it for the first time, with the CRD.
func startPlane(ctx context.Context, dir, logs, crdctl string) (*plane, error) {
	root := filepath.Join(dir, "plane")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	p := &plane{kubeconfig: filepath.Join(state.Cluster(root), "kubeconfig"), process: &process{
		name: "plane", logs: logs, dir: root, argv: []string{crdctl, "cluster", "serve", "--dir", root}, env: append(os.Environ(), "TMPDIR="+dir),
	}}
	err := p.start(ctx)
	if err == nil {
		p.api, err = api.Connect(ctx, p.kubeconfig, p.done())
	}
	if err == nil {
		err = p.api.Install(ctx, p.done(), crd)
	}
	return p, err
}

// start starts it, again on the same port and data, and waits until it answers.
func (p *plane) start(ctx context.Context) error {
	if err := p.process.start(); err != nil {
		return err
	}
	return p.await(ctx, "ready at")
}

// get reads objects.
func get[T any](ctx context.Context, p *plane, path, selector string) ([]T, error) {
	ctx, cancel := context.WithTimeout(ctx, requestPatience)
	defer cancel()
	request := p.api.Client.Get().AbsPath(path).MaxRetries(0)
	if selector != "" {
		request = request.Param("labelSelector", selector)
	}
	data, err := request.DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", path, err)
	}
	return decodeList[T](data)
}

// removeCRD deletes the CRD, waits until it and its objects are gone, and makes it anew.
func (p *plane) removeCRD(ctx context.Context, absence time.Duration) error {
	err := p.api.Client.Delete().AbsPath(crdPath).Do(ctx).Error()
	if err != nil {
		return fmt.Errorf("delete the CRD: %w", err)
	}
	gone := api.Poll(ctx, nil, func(ctx context.Context) bool { return isNotFound(p.api.Client.Get().AbsPath(crdPath).Do(ctx).Error()) })
	if gone != nil {
		return fmt.Errorf("the CRD does not go: %w", gone)
	}
	idle(ctx, absence)
	return errors.Join(ctx.Err(), p.api.Install(ctx, nil, crd))
}
