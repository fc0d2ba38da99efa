package main

import (
	"context"
	"sync"
	"time"
)

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
			defer f.give()
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
			if f.take() {
				s.cards = append(s.cards[:i:i], s.cards[i+1:]...)
				return f
			}
		}
		s.cards = append(s.cards, s.deck(s.random)...) // touching the hook is always possible
	}
}
