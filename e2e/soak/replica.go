package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
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
	proxy  *proxy // nil for one that talks to the API server itself
	shared string // the folder of rules and notes

	life    sync.Mutex // held while somebody does something to the process
	rules   sync.Mutex // held while the hook misbehaves
	address string     // of metrics and profiles

	pausesMu sync.Mutex
	pauses   []pause
}

func newReplica(name, crdctl, hook, kubeconfig, shared, dir, logs string) (*replica, error) {
	root := filepath.Join(dir, "replica-"+name)
	crdFile := filepath.Join(root, "crd.yaml")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(crdFile, crd, 0o644); err != nil {
		return nil, err
	}
	command := fmt.Sprintf("%s %s %s %s", hook, hookWord, shared, name)
	return &replica{shared: shared, process: &process{name: name, logs: logs, dir: root, env: append(os.Environ(), "NO_COLOR=1"), argv: []string{
		crdctl, "run", "--builtin", "--kubeconfig", kubeconfig, "-f", crdFile, "--skip-crds", "--name", controller,
		"--hook", command, "--finalize-hook", command, "--hook-timeout", hookPatience.String(), "--owns", "v1/ConfigMap", "--shards", shards,
		"--metrics", "127.0.0.1:0", "--profiling",
	}}}, nil
}

// start starts it, and finds where its metrics are.
func (r *replica) start(ctx context.Context) (err error) {
	if err := r.process.start(); err != nil {
		return err
	}
	r.address, err = r.line(ctx, "Serving metrics and probes address=")
	return err
}

// paused notes that from now on it can't be at anything.
func (r *replica) paused() {
	r.pausesMu.Lock()
	defer r.pausesMu.Unlock()
	r.pauses = append(r.pauses, pause{r.name, time.Now()})
}

// kill is kill -9.
func (r *replica) kill() {
	r.process.kill()
	r.paused() // after: all before that could be its doing
}

// freeze stops it, as when a machine has no time for it, and lets it go on later.
func (r *replica) freeze(ctx context.Context, d time.Duration) error {
	pid := r.pid()
	if err := freeze(pid); err != nil {
		return fmt.Errorf("stop %s: %w", r.name, err)
	}
	r.paused()
	idle(ctx, d)
	if err := thaw(pid); err != nil {
		return fmt.Errorf("let %s go on: %w", r.name, err)
	}
	return nil
}

// misbehave has its hook misbehave for a while.
func (r *replica) misbehave(ctx context.Context, how string, d time.Duration) error {
	file := ruleFile(r.shared, r.name)
	if err := writeFile(file, how); err != nil {
		return err
	}
	idle(ctx, d)
	return os.Remove(file)
}

// idle waits, and less if the context ends.
func idle(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
