package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/prometheus/procfs"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/controlplane/state"
)

// crd is the kind of all sides. It is without a status subresource, so that an object with a status takes one request.
//
//go:embed crd.yaml
var crd []byte

// plane is the control plane of all sides.
type plane struct {
	process    *program.Process
	api        *api.Server
	kubeconfig string
	crdFile    string
	filled     int // objects
	bumps      atomic.Int32
}

// startPlane starts crdctl's control plane, which is a real API server, as a child of this process: it goes with it.
func startPlane(ctx context.Context, dir, crdctl string) (*plane, error) {
	root := filepath.Join(dir, "plane")
	p := &plane{kubeconfig: filepath.Join(state.Cluster(root), "kubeconfig"), crdFile: filepath.Join(dir, "crd.yaml")}
	if err := errors.Join(os.MkdirAll(root, 0o755), os.WriteFile(p.crdFile, crd, 0o644)); err != nil {
		return nil, err
	}
	var err error
	env := append(os.Environ(), "TMPDIR="+dir)
	p.process, err = program.Start(measure.Side{Dir: root, Env: append(env, roomy()...), Argv: []string{crdctl, "cluster", "serve", "--dir", root}})
	if err != nil {
		return nil, err
	}
	if _, _, err = p.process.Await(ctx, 0, "ready at"); err == nil {
		p.api, err = api.Connect(ctx, p.kubeconfig, p.process.Done())
	}
	if err == nil {
		err = p.api.Install(ctx, p.process.Done(), crd)
	}
	if err == nil {
		err = p.fill(ctx, 1) // an informer of no objects at all would never be seen to be ready
	}
	if err != nil {
		return nil, errors.Join(err, p.process.End())
	}
	return p, nil
}

func (p *plane) stop() error { return p.process.End() }

// roomy has the control plane collect its garbage only when half of the memory is full that is available. It makes 60 MB of it in
// a second of paced updates, and collected for 0.6 of every 4.5 seconds, with all processors: the 99th of 100 latencies was one of
// those, and told how often the API server had collected while a side was measured.
func roomy() []string {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return nil // no Linux: it collects as always
	}
	memory, err := fs.Meminfo()
	if err != nil || memory.MemAvailableBytes == nil {
		return nil
	}
	return []string{"GOGC=off", fmt.Sprintf("GOMEMLIMIT=%d", *memory.MemAvailableBytes/2)}
}
