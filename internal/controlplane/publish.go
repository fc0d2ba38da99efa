// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/crdctl/crdctl/internal/safefs"
)

// publish writes the kubeconfig. It is the last step of the start, so that a process that waits for the file finds a server.
func (c *ControlPlane) publish(s *secrets) error {
	content, config, err := s.kubeconfig("https://" + c.listener.Addr().String())
	if err != nil {
		return err
	}
	c.controllerToken = s.controllerToken
	for _, path := range c.kubeconfigs() {
		if err := writePrivate(path, content); err != nil {
			return fmt.Errorf("write kubeconfig: %w", err)
		}
		c.kubeconfig, c.config = path, config
	}
	return nil
}

// unpublish removes the kubeconfig that the caller asked for; the one next to data that are kept stays with them.
func (c *ControlPlane) unpublish() error {
	if c.kubeconfig == "" || c.options.Kubeconfig == "" {
		return nil
	}
	if err := os.Remove(c.options.Kubeconfig); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// kubeconfigs are the files to write; the last is the one that ControlPlane.Kubeconfig names.
func (c *ControlPlane) kubeconfigs() []string {
	files := []string{filepath.Join(c.space.data, kubeconfigName)}
	if c.options.Kubeconfig != "" {
		files = append(files, c.options.Kubeconfig)
	}
	return files
}

const kubeconfigName = state.KubeconfigName

// checkKubeconfig spares the caller to wait for a control plane that could not be published.
func (c *ControlPlane) checkKubeconfig() error {
	for _, file := range c.kubeconfigs() {
		dir := filepath.Dir(file)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("the kubeconfig %s cannot be written: %s is not a directory; create it or choose another file", file, dir)
		}
	}
	return nil
}

// keptPort is the port that the kubeconfig in dir names, and 0 if there is none.
func keptPort(path string) int {
	dir, err := safefs.Anchor(path, safefs.Trusted())
	if err != nil {
		return 0
	}
	defer func() { _ = dir.Close() }()
	k, err := ReadKubeconfig(dir, kubeconfigName)
	if err != nil {
		return 0
	}
	u, err := url.Parse(k.Server)
	if err != nil || !net.ParseIP(u.Hostname()).Equal(loopback()) {
		return 0
	}
	port, _ := strconv.Atoi(u.Port()) // 0 on an error, as for no port
	return port
}

// writePrivate puts a file in place by rename, so that no reader sees half of it.
func writePrivate(path string, content []byte) error {
	dir, err := safefs.Anchor(filepath.Dir(path), safefs.Trusted())
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	return dir.Write(filepath.Base(path), content)
}
