package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/scratch"
)

// Start returns when the API server is ready, or undoes everything and says why it is not. ctx bounds the
// start only. A start that is cancelled late takes up to a second to return: parts of the API server can be
// stopped by its own orderly end and by nothing else, so it is let come up first.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
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
	// What killed runs left behind costs disk space only, so trouble with it must not stop this run.
	_ = scratch.Sweep(os.TempDir(), scratch.RunPrefix)
	var err error
	if c.space, err = openWorkspace(c.options.Dir); err != nil {
		return err
	}
	if err := errors.Join(c.checkKubeconfig(), checkLimits(c.space.data)); err != nil {
		return err
	}
	if c.etcd, err = startEtcd(c.space, c.options.Fsync); err != nil {
		return err
	}
	if c.listener, err = listen(c.options.Port); err != nil {
		return err
	}
	secrets, err := newSecrets(c.space.private.Path)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// From here to serve, nothing looks at ctx: see the comment of Start.
	server, err := newAPIServer(c.listener, secrets, c.space.clientSocket(), func() error { return awaitEtcd(c.etcd) })
	if err != nil {
		return err
	}
	c.server = server
	c.server.serve(c.etcd.Err())
	if err := c.server.awaitReady(ctx); err != nil {
		return err
	}
	if c.controllers, err = startControllers(c.server, c.options.PendingPods); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.publish(secrets)
}

// publish writes the kubeconfig. It is the last step, so that whoever waits for the file finds a server.
func (c *ControlPlane) publish(s *secrets) error {
	content, config, err := s.kubeconfig("https://" + c.listener.Addr().String())
	if err != nil {
		return err
	}
	if err := writePrivate(c.kubeconfigPath(), content); err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	c.kubeconfig, c.config = c.kubeconfigPath(), config
	return nil
}

func (c *ControlPlane) kubeconfigPath() string {
	if c.options.Kubeconfig != "" {
		return c.options.Kubeconfig
	}
	return filepath.Join(c.space.data, "kubeconfig")
}

// checkKubeconfig spares the caller to wait for a control plane that could not be published.
func (c *ControlPlane) checkKubeconfig() error {
	dir := filepath.Dir(c.kubeconfigPath())
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("the kubeconfig %s cannot be written: %s is not a directory; create it or choose another file", c.kubeconfigPath(), dir)
	}
	return nil
}

// writePrivate puts a file in place by rename, so that no reader sees half of it.
func writePrivate(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
