package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
)

// idled is what crdctl used while nobody asked it for anything.
type idled struct {
	objects int
	percent float64       // of one processor
	usage   measure.Usage // at the end of that
}

// measureIdle measures crdctl with its built-in controller, without objects and with many, and prints the table of it.
func measureIdle(ctx context.Context, b *bench, s settings, out io.Writer) (err error) {
	dir, err := b.folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	run, a, err := b.runBuiltin(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run.End()) }()
	empty, err := b.idle(ctx, run, 0, s.idle)
	if err != nil {
		return err
	}
	b.say("creating %d objects of %d bytes by %d writers", s.objects, objectSize, writers)
	took, err := fill(ctx, a, s.objects)
	if err != nil {
		return err
	}
	full, err := b.idle(ctx, run, s.objects, s.idle)
	printIdle(out, s, took, empty, full)
	return err
}

// runBuiltin starts crdctl with the controller that it has built in, and returns when its CRD is installed.
func (b *bench) runBuiltin(ctx context.Context, dir string) (*program.Process, *api.Server, error) {
	side, kubeconfig, err := b.builtin(dir)
	if err != nil {
		return nil, nil, err
	}
	run, err := program.Start(side)
	if err != nil {
		return nil, nil, err
	}
	a, err := api.Connect(ctx, kubeconfig, run.Done())
	if err == nil {
		_, _, err = run.Await(ctx, 0, "running the built-in controller")
	}
	if err != nil {
		return nil, nil, errors.Join(err, run.End())
	}
	return run, a, nil
}

// idle lets a process settle, and then looks at it for a time.
func (b *bench) idle(ctx context.Context, run *program.Process, objects int, d time.Duration) (idled, error) {
	if err := measure.Settle(ctx, run.PID()); err != nil {
		return idled{}, err
	}
	b.say("idle with %d objects, for %s", objects, d)
	before, err := measure.UsageOf(run.PID())
	if err != nil {
		return idled{}, err
	}
	after, err := measure.UsageAfter(ctx, run.PID(), d)
	return idled{objects, after.Since(before), after}, err
}

// printIdle writes the table.
func printIdle(w io.Writer, s settings, took time.Duration, all ...idled) {
	_, _ = fmt.Fprintf(w, "\ncrdctl run --builtin, over %s once it has settled. %d objects of %d bytes were created by %d writers in %.1f s: %.0f a second,\n"+
		"while the built-in controller worked on them and recorded an event for each.\n\n"+
		"| objects | processor | resident | of it not of files | peak until then |\n|---|---|---|---|---|\n",
		s.idle, s.objects, objectSize, writers, took.Seconds(), float64(s.objects)/max(took.Seconds(), 1e-9))
	for _, i := range all {
		_, _ = fmt.Fprintf(w, "| %d | %.1f %% of a core | %d MB | %d MB | %d MB |\n", i.objects, i.percent, i.usage.Resident>>20, i.usage.Anonymous>>20, i.usage.Peak>>20)
	}
}
