package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/controlplane/state"
)

// saves measures changes in one project that crdctl runs, and in a copy of it beside.
type saves struct {
	*bench
	dir, project, copy string
	run                *program.Process
}

// quietFor is how long crdctl must have said nothing, so that what is measured has nothing of the change before.
const quietFor = 2 * time.Second

// settled waits until crdctl does nothing more. It builds once more after it has generated, and finds nothing new.
func (s *saves) settled(ctx context.Context) error {
	for {
		if err := s.run.Lines.Quiet(ctx, quietFor); err != nil {
			return err
		}
		// A long build is reported again, in a line that begins with the same words.
		if s.run.Lines.TimesWhole(saysBuilding) == s.run.Lines.Times(saysBuilt)+s.run.Lines.Times(saysBrokenOff) {
			return nil
		}
	}
}

// save measures each edit so many times, in turns, beside the same without crdctl.
func (b *bench) save(ctx context.Context, runs int) (all map[string][]saved, err error) {
	all = map[string][]saved{}
	dir, err := b.folder()
	if err != nil {
		return all, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s := &saves{bench: b, dir: dir, project: filepath.Join(dir, "crontab"), copy: filepath.Join(dir, "copy")}
	if err := s.ready(ctx); err != nil {
		return all, err
	}
	defer func() { err = errors.Join(err, s.run.End()) }()
	edits := edits()
	for n := range runs {
		for _, i := range measure.Turn(n, len(edits)) {
			one, err := s.both(ctx, edits[i], n)
			if err != nil {
				return all, err
			}
			all[edits[i].name] = append(all[edits[i].name], one)
			b.say("%s: %.3f s; go build %.3f s, controller %.3f s; crdctl's own %.3f s", edits[i].name,
				one.total.Seconds(), one.build.Seconds(), one.start.Seconds(), one.own().Seconds())
		}
	}
	return all, nil
}

// ready makes the project, runs it with one object, and builds its copy once, so that both have built before.
func (s *saves) ready(ctx context.Context) error {
	if err := s.initProject(ctx, s.dir, s.project); err != nil {
		return err
	}
	var err error
	if s.run, err = program.Start(measure.Side{Dir: s.project, Env: s.env(), Argv: []string{s.crdctl, "run"}}); err != nil {
		return err
	}
	err = func() error {
		a, err := api.Connect(ctx, state.Kubeconfig(s.project), s.run.Done())
		if err != nil {
			return err
		}
		if _, _, err := s.run.Await(ctx, 0, "crdctl: installed"); err != nil {
			return err
		}
		if err := a.Insist(ctx, s.run.Done(), crontabsPath, []byte(crontab)); err != nil {
			return err
		}
		if _, _, err := s.run.Await(ctx, 0, saysReconciled); err != nil {
			return err
		}
		_, err = s.without(ctx)
		return err
	}()
	if err != nil {
		err = errors.Join(err, s.run.End())
	}
	return err
}

// both measures a change with crdctl, and then without.
func (s *saves) both(ctx context.Context, e edit, round int) (saved, error) {
	with, err := s.with(ctx, e, round)
	if err != nil {
		return with, err
	}
	without, err := s.without(ctx)
	with.build, with.start = without.build, without.start
	return with, err
}

// with saves a change of the project that crdctl runs.
func (s *saves) with(ctx context.Context, e edit, round int) (saved, error) {
	if err := s.settled(ctx); err != nil {
		return saved{}, err
	}
	at := s.run.Lines.Count()
	began, err := e.save(s.project, round)
	if err != nil {
		return saved{}, err
	}
	// The old controller may say something, too: what counts is what comes after the build.
	var came [4]program.Line
	for i, text := range []string{saysBuilding, saysBuilt, saysStarted, saysReconciled} {
		if came[i], at, err = s.run.Await(ctx, at, text); err != nil {
			return saved{}, err
		}
	}
	return saved{total: came[3].At.Sub(began), before: came[0].At.Sub(began), building: came[1].At.Sub(came[0].At), after: came[2].At.Sub(came[1].At)}, nil
}

// without builds the copy of the project, which then has the same change, and starts its controller against the same API.
func (s *saves) without(ctx context.Context) (saved, error) {
	if err := s.settled(ctx); err != nil {
		return saved{}, err
	}
	if err := copyProject(s.project, s.copy); err != nil {
		return saved{}, err
	}
	binary := filepath.Join(s.dir, "controller")
	built, err := measure.Run(ctx, measure.Side{Dir: s.copy, Env: s.env(), Argv: []string{"go", "build", "-o", binary, "./."}})
	if err != nil {
		return saved{}, err
	}
	controller, err := program.Start(measure.Side{Dir: s.copy, Env: append(s.env(), "KUBECONFIG="+state.Kubeconfig(s.project)), Argv: []string{binary}})
	if err != nil {
		return saved{}, err
	}
	said, _, err := controller.Await(ctx, 0, saysReconciled)
	return saved{build: built.Wall, start: said.At.Sub(controller.Began)}, errors.Join(err, controller.End())
}
