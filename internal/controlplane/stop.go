package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// teardown undoes what start did, however far that got.
func (c *ControlPlane) teardown() error {
	var errs []error
	if c.controllers != nil {
		c.controllers.stop()
	}
	switch {
	case c.server != nil:
		c.server.stop()
	case c.listener != nil:
		errs = append(errs, c.listener.Close())
	}
	if c.etcd != nil {
		c.etcd.Close()
	}
	if c.kubeconfig != "" && c.space.temporary {
		if err := os.Remove(c.kubeconfig); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if c.space != nil {
		errs = append(errs, c.space.close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("stop control plane: %w", err)
	}
	return nil
}

func stillStopping(ctx context.Context) error {
	return fmt.Errorf("stop control plane: %w; it goes on stopping, call Stop again to wait for it", context.Cause(ctx))
}
