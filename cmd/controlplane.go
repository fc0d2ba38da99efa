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
	f.IntVar(&o.port, "port", 0, "`port` of 127.0.0.1 that the control plane listens on; 0 for the one that kept data had, or any free one")
	f.StringVar(&o.pods, "pods", podsRunning, "what becomes of pods: running (said to run, or to have succeeded) or pending")
}

// settle checks the flags.
func (o planeOptions) settle() (run.Plane, error) {
	if o.port < 0 || o.port > 65535 {
		return run.Plane{}, ui.UsageErrorf("--port is %d; ports end at 65535", o.port)
	}
	if o.pods != podsRunning && o.pods != podsPending {
		return run.Plane{}, ui.UsageErrorf("--pods is %q; it is %s or %s", o.pods, podsRunning, podsPending)
	}
	p := run.Plane{Port: o.port, PendingPods: o.pods == podsPending}
	if o.dataDir == "" {
		return p, nil
	}
	var err error
	p.DataDir, err = filepath.Abs(o.dataDir)
	return p, err
}
