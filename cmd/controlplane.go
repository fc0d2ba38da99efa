// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/run"
	"github.com/crdctl/crdctl/internal/ui"
)

// planeOptions are the flags of a control plane of crdctl's own.
type planeOptions struct {
	dataDir string
	port    int
	pods    string
}

const (
	podsRunning = "running"
	podsPending = "pending"
)

func (o *planeOptions) bind(f *pflag.FlagSet) {
	f.IntVar(&o.port, "port", 0, "`port` of the control plane on 127.0.0.1; 0 for that of kept data or a free one")
	f.StringVar(&o.pods, "pods", podsRunning, "`state` that pods are reported in: running or pending")
}

// settle checks the flags.
func (o planeOptions) settle() (run.Plane, error) {
	if o.port < 0 || o.port > 65535 {
		return run.Plane{}, ui.UsageErrorf("--port must be at most 65535, got %d", o.port)
	}
	if o.pods != podsRunning && o.pods != podsPending {
		return run.Plane{}, ui.UsageErrorf("--pods %q must be %s or %s", o.pods, podsRunning, podsPending)
	}
	p := run.Plane{Port: o.port, PendingPods: o.pods == podsPending}
	if o.dataDir == "" {
		return p, nil
	}
	var err error
	p.DataDir, err = filepath.Abs(o.dataDir)
	return p, err
}
