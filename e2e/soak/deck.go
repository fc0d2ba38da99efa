package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// fault is something that goes wrong for a while.
type fault struct {
	what string
	busy *sync.Mutex // held while something happens to the victim
	do   func(context.Context) error
}

// seconds is a random time.
func seconds(random *rand.Rand, from, to int) time.Duration {
	return time.Duration(from)*time.Second + rand64(random, time.Duration(to-from)*time.Second)
}

func rand64(random *rand.Rand, below time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(below)))
}

// deck is every fault, some of them for each replica, in random order: so each comes up as often as it should, and not as
// chance has it.
func (s *soak) deck(random *rand.Rand) (cards []fault) {
	add := func(f fault) { cards = append(cards, f) }
	timed := func(busy *sync.Mutex, do func(context.Context, time.Duration) error, d time.Duration, what string, args ...any) {
		add(locked(busy, func(ctx context.Context) error { return do(ctx, d) }, what+", for "+tenth(d).String(), args...))
	}
	for _, r := range s.replicas {
		name := "replica " + r.name
		timed(&r.life, r.freeze, seconds(random, 5, 30), "%s: SIGSTOP and then SIGCONT", name)
		for _, how := range pick(random, misbehaviours, 4) {
			timed(&r.rules, func(ctx context.Context, d time.Duration) error {
				return during(ctx, ruleFile(r.shared, r.name), how, d)
			}, seconds(random, 5, 20), "%s: the hook %s", name, how)
		}
		if !r.spared {
			add(restarted(&r.life, r.kill, r.start, name+": kill -9", seconds(random, 0, 25)))
			add(restarted(&r.life, r.end, r.start, name+": SIGTERM", seconds(random, 0, 10)))
		}
		if r.proxy != nil {
			timed(&r.network, r.refused, seconds(random, 1, 20), "%s: connections refused", name)
			times := 1 + random.IntN(10)
			add(locked(&r.network, func(ctx context.Context) error { return r.cut(ctx, times) }, "%s: watches cut, %d times", name, times))
			for _, how := range pick(random, spoils, 4) {
				timed(&r.network, func(ctx context.Context, d time.Duration) error { return how.during(ctx, r.proxy, d) }, seconds(random, 5, 20), "%s: %s", name, how.what)
			}
		}
	}
	add(restarted(&s.planeLife, s.plane.kill, s.plane.start, "control plane: kill -9", seconds(random, 0, 10)))
	add(locked(new(sync.Mutex), func(context.Context) error { return os.Chtimes(s.hook, time.Now(), time.Now()) }, "the hook's program is touched"))
	add(s.failing(random, seconds(random, 10, 40)))
	if random.IntN(2) == 0 {
		cards = append(cards, s.withoutCRD(seconds(random, 0, 10)))
	}
	random.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	return cards
}

// pick is n of several.
func pick[T any](random *rand.Rand, from []T, n int) (picked []T) {
	for _, i := range random.Perm(len(from))[:n] {
		picked = append(picked, from[i])
	}
	return picked
}

func locked(busy *sync.Mutex, do func(context.Context) error, what string, args ...any) fault {
	return fault{what: fmt.Sprintf(what, args...), busy: busy, do: do}
}

// faultEvery is how long there is between two faults, on the average.
const faultEvery = 8 * time.Second

// faults has faults happen for a time, and returns when the last of them is over.
func (s *soak) faults(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var writing sync.WaitGroup
	seed := s.random.Uint64()
	writing.Go(func() { s.pen.run(ctx, seed) })
	defer writing.Wait()
	var going sync.WaitGroup
	defer going.Wait()
	for idle(ctx, rand64(s.random, 2*faultEvery)); ctx.Err() == nil; idle(ctx, rand64(s.random, 2*faultEvery)) {
		f := s.draw()
		s.count++
		n := s.count
		s.say("fault %d: %s", n, f.what)
		going.Go(func() {
			defer f.busy.Unlock()
			if err := f.do(ctx); err != nil {
				s.wrong("fault %d, %s: %v", n, f.what, err)
			}
		})
	}
}

// draw takes the next card whose victim is not busy with another fault; the others' time will come.
func (s *soak) draw() fault {
	for {
		for i, f := range s.cards {
			if f.busy.TryLock() {
				s.cards = append(s.cards[:i:i], s.cards[i+1:]...)
				return f
			}
		}
		s.cards = append(s.cards, s.deck(s.random)...) // touching the hook is always possible
	}
}
