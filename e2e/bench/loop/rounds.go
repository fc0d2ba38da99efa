package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/crdctl/crdctl/e2e/bench/loop/harness"
	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// reenqueued is how many no-op reconciles are measured at least: all objects are enqueued anew as often as that takes. A quarter of
// it, a third of a second, differed by half from one round to the next.
const reenqueued = 1000000

// rounds runs the sides in turns, another one first in each round, and keeps their results by name.
func (b *bench) rounds(ctx context.Context, what string, one func(context.Context, side) (result, error)) (map[string][]result, error) {
	all := map[string][]result{}
	for n := range b.runs {
		for _, i := range measure.Turn(n, len(b.sides)) {
			s := b.sides[i]
			if s.program == "" {
				continue
			}
			r, err := one(ctx, s)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", what, s.name, err)
			}
			b.say("%s, round %d, %s: %s", what, n+1, s.name, r)
			all[s.name] = append(all[s.name], r)
		}
	}
	return all, nil
}

// empty measures the sides with one object: what they are without objects.
func (b *bench) empty(ctx context.Context) (map[string][]result, error) {
	return b.rounds(ctx, "one object", func(ctx context.Context, s side) (result, error) {
		f, err := b.follow(ctx, s)
		if err != nil {
			return nil, err
		}
		r, err := f.memory(ctx)
		return r, errors.Join(err, f.End())
	})
}

// full measures the sides with many objects.
func (b *bench) full(ctx context.Context, objects int, empty map[string][]result) (map[string][]result, error) {
	b.say("creating objects until there are %d", objects)
	if err := b.plane.fill(ctx, objects); err != nil {
		return nil, err
	}
	b.say("%d objects are there", objects)
	all, err := b.rounds(ctx, fmt.Sprintf("%d objects", objects), func(ctx context.Context, s side) (result, error) {
		f, err := b.follow(ctx, s)
		if err != nil {
			return nil, err
		}
		r, err := b.one(ctx, f)
		return r, errors.Join(err, f.End())
	})
	if err != nil {
		return nil, err
	}
	for name, results := range all {
		base := medianOf(empty[name], heap)
		for _, r := range results {
			r[perObject] = (r[heap] - base) / float64(objects-1)
		}
	}
	return all, b.runBuiltins(ctx, all)
}

// one measures one run of one side, from its start to its end.
func (b *bench) one(ctx context.Context, f *follower) (result, error) {
	r, err := f.memory(ctx)
	if err != nil {
		return nil, err
	}
	r[start], r[startCPU] = f.took().Seconds(), f.synced.CPU.Seconds()
	paced, err := f.phase(ctx, int(b.paced/pace), func(u *updates) error { return u.paced(ctx, b.plane, b.paced) })
	if err != nil {
		return nil, fmt.Errorf("paced updates: %w", err)
	}
	r[p50], r[p99] = percentile(paced.latencies, 0.5).Seconds(), percentile(paced.latencies, 0.99).Seconds()
	r[perUpdate] = paced.cpu.Seconds() / float64(paced.writes)
	burst, err := f.phase(ctx, b.burst, func(u *updates) error { return u.burst(ctx, b.plane, b.burst) })
	if err != nil {
		return nil, fmt.Errorf("burst: %w", err)
	}
	r[perBurst] = burst.cpu.Seconds() / float64(burst.writes)
	r[lost] = float64(paced.lost + burst.lost)
	r[perWrite] = max(ratio(paced.reconciles, paced.writes), ratio(burst.reconciles, burst.writes))
	rate, err := ask[harness.Rate](ctx, f, "again", "again %d", (reenqueued+b.plane.filled-1)/b.plane.filled)
	if err != nil {
		return nil, fmt.Errorf("enqueue all anew: %w", err)
	}
	r[noops] = float64(rate.Count) / rate.Took.Seconds()
	return r, nil
}

// memory is what a side holds after collections, and has held before.
func (f *follower) memory(ctx context.Context) (result, error) {
	m, err := ask[harness.Memory](ctx, f, "heap", "gc")
	return result{heap: float64(m.Heap), resident: float64(m.Resident), peak: float64(f.synced.Peak)}, err
}

func ratio(a, b int) float64 { return float64(a) / float64(max(b, 1)) }
