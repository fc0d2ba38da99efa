package main

import (
	"context"
	"fmt"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// both runs the two sides, another one first in each round, and compares their trees.
func (r *turns) both(ctx context.Context, n int, stage string, upstream, ours measure.Side) error {
	into := r.row(stage)
	if err := r.turn(ctx, n, into, upstream, ours); err != nil {
		return err
	}
	return r.compare(into, r.t.upstream)
}

// compare holds crdctl's tree to another.
func (r *turns) compare(into *row, upstream string) error {
	o, err := compare(r.t.start, upstream, r.t.crdctl, r.p.edit)
	if err != nil {
		return err
	}
	into.saw(o)
	r.say("%s: %s: %s", r.p.name, into.stage, o)
	for _, name := range o.differ[:min(10, len(o.differ))] {
		r.say("%s: %s differs", r.p.name, name)
	}
	return nil
}

// row is that of a stage.
func (r *turns) row(stage string) *row {
	if r.rows[stage] == nil {
		r.rows[stage] = &row{project: r.p.name, stage: stage}
	}
	return r.rows[stage]
}

// turn measures each side once.
func (r *turns) turn(ctx context.Context, n int, into *row, upstream, ours measure.Side) error {
	sides := []struct {
		measure.Side
		into *[]measure.Taken
	}{{upstream, &into.upstream}, {ours, &into.crdctl}}
	if n%2 == 1 {
		sides[0], sides[1] = sides[1], sides[0]
	}
	for _, s := range sides {
		m, err := measure.Run(ctx, s.Side)
		if err != nil {
			return fmt.Errorf("%s: %w", into.stage, err)
		}
		*s.into = append(*s.into, m)
	}
	u, c := into.upstream[len(into.upstream)-1], into.crdctl[len(into.crdctl)-1]
	r.say("%s: %s: upstream %.2f s (%.2f s of CPU), crdctl %.3f s (%.3f s)", r.p.name, into.stage,
		u.Wall.Seconds(), u.CPU.Seconds(), c.Wall.Seconds(), c.CPU.Seconds())
	return nil
}
