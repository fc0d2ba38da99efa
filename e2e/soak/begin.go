package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// begin starts all programs.
func (s *soak) begin(ctx context.Context, dir, crdctl string) (err error) {
	if err := os.MkdirAll(s.shared, 0o755); err != nil {
		return err
	}
	if s.hook, err = copySelf(dir); err != nil {
		return err
	}
	if s.plane, err = startPlane(ctx, dir, s.folder, crdctl); err != nil {
		return err
	}
	s.pen = &pen{api: s.plane.api, names: namesFor(s.objects), rate: s.rate, wrote: make([]atomic.Int64, len(acts))}
	if err := s.settled(ctx, 0); err != nil {
		return err
	}
	for i, name := range []string{"a", "b", "c"} {
		if err := s.addReplica(dir, crdctl, name, i); err != nil {
			return err
		}
	}
	var group errgroup.Group
	for _, r := range s.replicas {
		group.Go(func() error { return r.start(ctx) })
	}
	return group.Wait()
}

// addReplica makes them different: a lives long, b talks to the API server itself, c starts its hook for each call.
func (s *soak) addReplica(dir, crdctl, name string, n int) error {
	kubeconfig := s.plane.kubeconfig
	var through *proxy
	if n != 1 {
		kubeconfig = filepath.Join(dir, "kubeconfig-"+name)
		var err error
		if through, err = newProxy(s.plane.kubeconfig, kubeconfig); err != nil {
			return err
		}
	}
	r, err := newReplica(name, crdctl, s.hook, kubeconfig, s.shared, dir, s.folder)
	if err != nil {
		return err
	}
	r.spared, r.proxy = n == 0, through
	if n != 2 {
		r.argv = append(r.argv, "--hook-persistent")
	}
	s.replicas = append(s.replicas, r)
	return nil
}

// copySelf makes a file of this program, for the hook: that one is touched.
func copySelf(dir string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(self)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "hook")
	return file, os.WriteFile(file, data, 0o755)
}

// stop ends all that is still running.
func (s *soak) stop() error {
	var all []error
	for _, r := range s.replicas {
		all = append(all, r.end())
		if r.proxy != nil {
			all = append(all, r.proxy.close())
		}
	}
	if s.plane != nil {
		all = append(all, s.plane.end())
	}
	return errors.Join(all...)
}
