package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/crdctl/crdctl/e2e/internal/harness/faultproxy"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
)

const (
	// hookPatience is what a call of a hook may take. It is shorter than the time between the loss of a lease and its
	// being taken by another replica, so that a hook that hangs is given up before another one is asked.
	hookPatience = 4 * time.Second
	controller   = "soak" // its name
	shards       = "8"
)

// replica is one of the processes that work on the objects together.
type replica struct {
	*process
	// spared is never killed or ended: its memory is that of a long life.
	spared bool
	proxy  *faultproxy.Proxy // nil for one that talks to the API server itself
	shared string            // the directory of rules and notes

	life    sync.Mutex // held while something is done to the process
	network sync.Mutex // held while something is done to its requests
	rules   sync.Mutex // held while the hook misbehaves
	address string     // of metrics and profiles
}

// newReplica makes them different: a lives long, b talks to the API server itself, c starts its hook for each call.
func (s *soak) newReplica(dir, crdctl, name string) (*replica, error) {
	root := filepath.Join(dir, "replica-"+name)
	crdFile, kubeconfig := filepath.Join(root, "crd.yaml"), s.plane.kubeconfig
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(crdFile, crd, 0o644); err != nil {
		return nil, err
	}
	r := &replica{shared: s.shared, spared: name == "a"}
	if name != "b" {
		config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
		if err != nil {
			return nil, err
		}
		kubeconfig = filepath.Join(root, "kubeconfig")
		if r.proxy, err = faultproxy.New(config, kubeconfig, true); err != nil {
			return nil, err
		}
	}
	command := fmt.Sprintf("%s %s %s %s", s.hook, hookWord, s.shared, name)
	argv := []string{
		crdctl, "run", "--builtin", "--kubeconfig", kubeconfig, "-f", crdFile, "--skip-crds", "--name", controller,
		"--hook", command, "--finalize-hook", command, "--hook-timeout", hookPatience.String(), "--owns", "v1/ConfigMap", "--shards", shards,
		"--metrics", "127.0.0.1:0", "--profiling",
	}
	if name != "c" {
		argv = append(argv, "--hook-persistent")
	}
	r.process = &process{name: name, logs: s.folder, side: program.Side{Dir: root, Env: append(os.Environ(), "NO_COLOR=1"), Argv: argv}}
	return r, nil
}

// start starts it, and finds where its metrics are.
func (r *replica) start(ctx context.Context) error {
	if err := r.process.start(); err != nil {
		return err
	}
	_, next, err := r.Await(ctx, 0, "Serving metrics and probes address=")
	if err == nil {
		_, _, err = r.Await(ctx, next, "\n") // the line is whole
	}
	if err == nil {
		r.address, _, _ = strings.Cut(r.Text()[next:], "\n")
	}
	return err
}

// freeze stops it, as when a machine has no time for it, and lets it go on later.
func (r *replica) freeze(ctx context.Context, d time.Duration) error {
	pid := strconv.Itoa(r.PID())
	if err := exec.CommandContext(ctx, "kill", "-STOP", pid).Run(); err != nil {
		return fmt.Errorf("stop %s: %w", r.name, err)
	}
	r.pauses = append(r.pauses, time.Now())
	idle(ctx, d)
	if err := exec.Command("kill", "-CONT", pid).Run(); err != nil {
		return fmt.Errorf("let %s go on: %w", r.name, err)
	}
	return nil
}

// idle waits, and less if the context ends.
func idle(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
