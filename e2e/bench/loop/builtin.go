package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/proc"
)

// runBuiltins measures the program that users have. It runs when the others are done with so many objects, so that
// none of them is held against a program with another one's log to write.
func (b *bench) runBuiltins(ctx context.Context, all map[string][]result) error {
	if !slices.ContainsFunc(b.sides, func(s side) bool { return s.name == builtin }) {
		return nil
	}
	for n := range b.runs {
		r, err := b.runBuiltin(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", builtin, err)
		}
		b.say("%d objects, round %d, %s: %s", b.plane.filled, n+1, builtin, r)
		all[builtin] = append(all[builtin], r)
	}
	return nil
}

// runBuiltin measures "crdctl run --builtin" on the control plane, from outside.
func (b *bench) runBuiltin(ctx context.Context) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, program.Patience)
	defer cancel()
	dir, err := os.MkdirTemp(b.dir, "run-")
	if err != nil {
		return nil, err
	}
	said := &counter{text: []byte("Successfully synced"), goal: b.plane.filled, reached: make(chan struct{})}
	began := time.Now()
	p, err := proc.Start(proc.Options{
		Path: b.crdctl, Args: []string{"run", "--builtin", "--kubeconfig", b.plane.kubeconfig, "-f", b.plane.crdFile, "--skip-crds", "--no-events", "--kube-api-qps=-1"}, Dir: dir,
		Env: append(os.Environ(), "NO_COLOR=1"), Stdout: said, Stderr: said, StopSignal: os.Interrupt, Grace: 30 * time.Second,
	})
	if err != nil {
		return nil, err
	}
	defer p.Stop()
	select {
	case <-said.reached:
	case <-p.Done():
		return nil, errors.Join(errors.New("it ended before every object was synced"), p.Err())
	case <-ctx.Done():
		return nil, fmt.Errorf("not every object was synced: %w", ctx.Err())
	}
	took := time.Since(began)
	used, err := measure.UsageOf(p.PID())
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(calm):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	later, err := measure.UsageOf(p.PID())
	return result{start: took.Seconds(), startCPU: used.CPU.Seconds(), peak: float64(used.Peak), resident: float64(later.Resident)}, err
}

// calm is how long the program is left alone before its memory is read again: it gives back what its start needed.
const calm = 20 * time.Second

// counter counts the lines that have a text in them, and keeps none: there are hundreds of thousands.
type counter struct {
	text    []byte
	goal    int
	reached chan struct{}

	mu    sync.Mutex
	count int
	rest  []byte // of a line that is not complete
}

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := append(c.rest, p...)
	end := bytes.LastIndexByte(lines, '\n') + 1
	before := c.count
	c.count += bytes.Count(lines[:end], c.text)
	c.rest = append([]byte(nil), lines[end:]...)
	if before < c.goal && c.count >= c.goal {
		close(c.reached)
	}
	return len(p), nil
}
