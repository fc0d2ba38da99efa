// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// simulate runs a test of its own replicas, with a clock of its own, and ends what it started.
func simulate(t *testing.T, workers int, test func(t *testing.T, w *observer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &observer{store: newStore(), t: t, workers: workers}
		watching, stop := context.WithCancel(context.Background())
		go w.watch(watching)
		defer func() {
			for _, r := range w.replicas {
				r.stop()
			}
			stop()
			time.Sleep(2 * time.Hour) // answers that were lost end too
		}()
		test(t, w)
	})
}

// For more than an hour of simulated time, everything that can go wrong does, at random, with five replicas. Never do two hold a
// shard at the same instant or work in one, and when the trouble ends, all shards are held, evenly.
func TestNeverTwoAtOnce(t *testing.T) {
	for _, c := range []struct {
		shards int
		by     string
	}{{1, ByKey}, {7, ByKey}, {4, ByNamespace}} {
		t.Run(fmt.Sprintf("%d shards by %s", c.shards, c.by), func(t *testing.T) {
			simulate(t, 3, func(t *testing.T, w *observer) { storm(t, w, c.shards, c.by) })
		})
	}
}

func storm(t *testing.T, w *observer, shards int, by string) {
	names := 0
	another := func() {
		names++
		start(t, w, fmt.Sprintf("replica-%d", names), shards, by)
	}
	living := func() (all []*replica) {
		for _, r := range w.replicas {
			if !r.dead.Load() {
				all = append(all, r)
			}
		}
		return all
	}
	for range 5 {
		another()
	}
	for round := range 6 {
		for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); {
			time.Sleep(time.Duration(rand.Int64N(int64(10 * time.Second))))
			all := living()
			r := all[rand.IntN(len(all))]
			switch rand.IntN(8) {
			case 0:
				r.kill()
				another()
			case 1, 2:
				if r.stopped() {
					continue
				}
				r.gone.Go(func() { r.freeze(time.Duration(rand.Int64N(int64(30 * time.Second)))) })
				time.Sleep(time.Second)
			default:
				r.failing.Store(rand.Int64N(101))
			}
		}
		for _, r := range living() {
			r.failing.Store(0)
		}
		took := w.allHeld(shards, 3*time.Minute)
		entered, writes := w.counts()
		t.Logf("round %d: all held and even after %v; %d pieces of work so far, %d writes", round, took, entered, writes)
	}
	entered, _ := w.counts()
	assert.GreaterOrEqual(t, entered, 1000, "only: pieces of work: the simulation shows nothing")
}
