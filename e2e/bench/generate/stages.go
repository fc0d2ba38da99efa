package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// crdDir is where CRDs are written, in the root of a tree.
const crdDir = ".bench-crd"

// The stages, as the table names them.
const (
	first   = "first run"
	edited  = "one field edited"
	again   = "nothing changed"
	cold    = "empty Go build cache"
	withCRD = "with CRDs, against controller-gen object crd alone"
)

// trees are those of a project: one to begin with, those of the sides, that of controller-gen, and what upstream made in
// its first run, for the CRDs to be added to.
type trees struct{ start, upstream, crdctl, crd, plain string }

// turns measures one project.
type turns struct {
	*bench
	p    project
	t    trees
	warm caches
	rows map[string]*row
}

// project measures all stages of a project, the sides in turns.
func (b *bench) project(ctx context.Context, p project, s settings) ([]row, error) {
	module, err := b.download(ctx, p.module, p.version)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.dir, p.name)
	r := &turns{
		bench: b, p: p, rows: map[string]*row{},
		t:    trees{filepath.Join(dir, "start"), filepath.Join(dir, "upstream"), filepath.Join(dir, "crdctl"), filepath.Join(dir, "crd"), filepath.Join(dir, "plain")},
		warm: caches{home: filepath.Join(dir, "home"), goCache: b.golang.GOCACHE, bin: b.bin},
	}
	b.say("%s: getting ready", p.name)
	err = r.all(ctx, module, s)
	return r.list(), errors.Join(err, os.RemoveAll(dir))
}

// all measures everything.
func (r *turns) all(ctx context.Context, module string, s settings) error {
	if err := startTree(r.p, module, r.t.start); err != nil {
		return err
	}
	if err := r.ready(ctx); err != nil {
		return err
	}
	for n := range s.runs {
		if err := r.round(ctx, n); err != nil {
			return err
		}
	}
	for n := range s.cold {
		if err := r.empty(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// list are the rows, of the turns that were finished and compared.
func (r *turns) list() (rows []row) {
	for _, stage := range []string{first, edited, again, cold, withCRD} {
		if found := r.rows[stage]; found != nil && found.turns > 0 {
			found.upstream, found.crdctl = found.upstream[:found.turns], found.crdctl[:found.turns]
			rows = append(rows, *found)
		}
	}
	return rows
}

// ready downloads what the packages import, and has Go and the system read it once; upstream's generators are built.
func (r *turns) ready(ctx context.Context) error {
	download := measure.Side{Dir: r.t.start, Env: append(os.Environ(), "GOWORK=off"), Argv: []string{"go", "mod", "download"}}
	if _, err := measure.Run(ctx, download); err != nil {
		return err
	}
	if err := r.restore(); err != nil {
		return err
	}
	_, err := measure.Run(ctx, r.ours(r.p, r.t.crdctl, r.warm))
	return err
}

// restore puts both trees back to the start, and forgets crdctl's results.
func (r *turns) restore() error {
	for _, tree := range []string{r.t.upstream, r.t.crdctl} {
		if err := copyTree(r.t.start, tree); err != nil {
			return err
		}
	}
	return os.RemoveAll(r.warm.home)
}

// round is one run of each stage with warm caches.
func (r *turns) round(ctx context.Context, n int) error {
	if err := r.restore(); err != nil {
		return err
	}
	run := func(stage string) error {
		return r.both(ctx, n, stage, r.upstream(r.p, r.t.upstream, r.warm), r.ours(r.p, r.t.crdctl, r.warm))
	}
	if err := run(first); err != nil {
		return err
	}
	if len(r.p.crds) > 0 {
		if err := copyTree(r.t.upstream, r.t.plain); err != nil {
			return err
		}
	}
	if err := addField(r.p, r.t.upstream, n); err != nil {
		return err
	}
	if err := addField(r.p, r.t.crdctl, n); err != nil {
		return err
	}
	if err := run(edited); err != nil {
		return err
	}
	if err := run(again); err != nil {
		return err
	}
	if len(r.p.crds) == 0 {
		return nil
	}
	return r.crds(ctx, n)
}

// empty is a first run with nothing in any cache but modules, as on a fresh machine.
func (r *turns) empty(ctx context.Context, n int) error {
	if err := r.restore(); err != nil {
		return err
	}
	var fresh [2]caches
	for i := range fresh {
		dir, err := os.MkdirTemp(r.dir, "empty-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		fresh[i] = caches{home: filepath.Join(dir, "home"), goCache: filepath.Join(dir, "go-build"), bin: filepath.Join(dir, "bin")}
	}
	return r.both(ctx, n, cold, r.upstream(r.p, r.t.upstream, fresh[0]), r.ours(r.p, r.t.crdctl, fresh[1]))
}
