// SPDX-License-Identifier: Apache-2.0

package target

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/controlplane/crds"
	"github.com/crdctl/crdctl/internal/tempdir"
	"github.com/crdctl/crdctl/internal/ui"
)

// Connect takes a cluster that exists. The controller's process gets a kubeconfig of its own, that holds this one
// cluster: it cannot pick another.
func (c Cluster) Connect(reporter ui.Reporter) (*API, error) {
	config, single, source, err := c.load()
	if err != nil {
		return nil, err
	}
	reporter.Note("using the API at %s (%s)", config.Host, source)
	if c.InCluster { // for the built-in loop alone: there is no process to hand a kubeconfig to, and maybe no disk to write it on
		return &API{Config: config, Kept: true, Install: crds.Install, Close: func() error { return nil }}, nil
	}
	dir, err := tempdir.NewRun()
	if err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(dir.Path, "kubeconfig")
	if err := os.WriteFile(kubeconfig, single, 0o600); err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	return &API{Config: config, Kubeconfig: kubeconfig, Kept: true, Install: crds.Install, Close: dir.Remove}, nil
}
