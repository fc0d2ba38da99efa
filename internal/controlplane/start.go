// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/controlplane/record"
	"github.com/crdctl/crdctl/internal/startup/hugepages"
	"github.com/crdctl/crdctl/internal/startup/register"
)

// Start returns when the API server is ready, or undoes everything and says why it is not. ctx bounds the
// start only. A start that is cancelled late takes up to a second to return: parts of the API server can be
// stopped by its own orderly end and by nothing else, so it is let come up first.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
	hugepages.Stop() // a server lives long; see the package
	register.Now()
	c := &ControlPlane{options: o, stopped: make(chan struct{})}
	if err := c.start(ctx); err != nil {
		err = fmt.Errorf("start control plane: %w", err)
		return nil, errors.Join(err, c.Stop(context.WithoutCancel(ctx)))
	}
	return c, nil
}

func (c *ControlPlane) start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var err error
	if c.space, err = openWorkspace(c.options.Dir); err != nil {
		return err
	}
	if err := errors.Join(c.checkKubeconfig(), checkLimits(c.space.data)); err != nil {
		return err
	}
	if c.listener, err = c.listen(); err != nil {
		return err
	}
	if c.store, err = startEtcd(c.space, c.options.Fsync); err != nil {
		return err
	}
	secrets, err := loadSecrets(c.space.secrets())
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// From here to serve, nothing looks at ctx: see the comment of Start.
	server, err := newAPIServer(c.listener, secrets, c.space.clientSocket(), c.options.Record, c.store.await)
	if err != nil {
		return err
	}
	c.server = server
	c.server.serve(c.store)
	if err := c.server.awaitReady(ctx); err != nil {
		return err
	}
	slowDown(c.store.etcd.Server)
	if c.options.Record != nil {
		kinds := clients{loopback: c.server.loopback}
		c.server.recorder.Start(kinds.of(record.Agent).Discovery())
	}
	if c.controllers, err = startControllers(c.server, c.options.PendingPods); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.publish(secrets)
}

// listen takes the port that was asked for, or else the one that a kubeconfig next to kept data names, or else a free one.
func (c *ControlPlane) listen() (*listener, error) {
	port := c.options.Port
	if port != 0 || c.space.temporary {
		return listen(port)
	}
	kept := keptPort(c.space.data)
	l, err := listen(kept)
	if err != nil && kept != 0 {
		return nil, fmt.Errorf("%w: %s names it; another port changes that file", err, filepath.Join(c.space.data, kubeconfigName))
	}
	return l, err
}
