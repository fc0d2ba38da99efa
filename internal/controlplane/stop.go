// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
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
		c.server.recorder.Close()
	case c.listener != nil:
		errs = append(errs, c.listener.Close())
	}
	if c.store != nil {
		c.store.close()
	}
	errs = append(errs, c.unpublish())
	if c.space != nil {
		errs = append(errs, c.space.close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("stop control plane: %w", err)
	}
	return nil
}

func stillStopping(ctx context.Context) error {
	return fmt.Errorf("stop control plane: %w; it is still stopping, call Stop again to wait for it", context.Cause(ctx))
}
