package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
)

// started are the times from the start of a process.
type started struct {
	ready     time.Duration // to the first 200 of /readyz
	installed time.Duration // to a CRD that is established
	created   time.Duration // to the first object of it, by a plain POST
}

// starts are those of all planes, by name.
type starts map[string][]started

// start measures how long the planes take to start, in turns. Another one is first in each round.
func (b *bench) start(ctx context.Context, runs int) (starts, error) {
	all := starts{}
	planes := b.planes()
	for n := range runs {
		for _, i := range measure.Turn(n, len(planes)) {
			p := planes[i]
			s, err := b.startOne(ctx, p)
			if err != nil {
				return all, fmt.Errorf("start %s: %w", p.name, err)
			}
			all[p.name] = append(all[p.name], s)
			b.say("%s: ready %.3f s, CRD %.3f s, first object %.3f s", p.name, s.ready.Seconds(), s.installed.Seconds(), s.created.Seconds())
		}
	}
	return all, nil
}

// startOne starts a plane, measures, and stops it.
func (b *bench) startOne(ctx context.Context, p plane) (s started, err error) {
	dir, err := b.folder()
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	side, kubeconfig, err := p.side(dir)
	if err != nil {
		return s, err
	}
	run, err := program.Start(side)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, run.End()) }()
	a, err := api.Connect(ctx, kubeconfig, run.Done())
	if err != nil {
		return s, fmt.Errorf("%w\n%s", err, run.Lines.Tail(20))
	}
	if err := a.Ready(ctx, run.Done()); err != nil {
		return s, fmt.Errorf("%w\n%s", err, run.Lines.Tail(20))
	}
	s.ready = time.Since(run.Began)
	if err := p.installed(ctx, run, a); err != nil {
		return s, err
	}
	s.installed = time.Since(run.Began)
	if err := a.Insist(ctx, run.Done(), widgetsPath, widget(0, 0)); err != nil {
		return s, err
	}
	s.created = time.Since(run.Began)
	return s, nil
}

// folder is a new one for a run.
func (b *bench) folder() (string, error) { return os.MkdirTemp(b.dir, "run-") }

func (b *bench) crdFile() string { return filepath.Join(b.dir, "crd.yaml") }

// env is the environment of a side: temporary files go with the bench's, in the bench's own folder and no deeper, since the
// paths of sockets may not be long; crdctl's cache is one that only the bench uses, and Go's is the user's.
func (b *bench) env() []string {
	env := slices.DeleteFunc(os.Environ(), forbidden)
	return append(env, "TMPDIR="+b.dir, "XDG_CACHE_HOME="+filepath.Join(b.dir, "cache"), "GOCACHE="+b.goCache, "GOWORK=off", "NO_COLOR=1")
}
