package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// fault is something that goes wrong for a while.
type fault struct {
	what string
	// take claims what it happens to, and give gives that back; false: something else happens to it just now.
	take func() bool
	give func()
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
	for _, r := range s.replicas {
		cards = append(cards, s.frozen(r, seconds(random, 5, 30)))
		for _, how := range pick(random, misbehaviours, 4) {
			cards = append(cards, s.misbehaving(r, how, seconds(random, 5, 20)))
		}
		if !r.spared {
			cards = append(cards, s.killed(r, seconds(random, 0, 25)), s.ended(r, seconds(random, 0, 10)))
		}
		if r.proxy != nil {
			cards = append(cards, s.refused(r, seconds(random, 1, 20)), s.cut(r, 1+random.IntN(10)))
			for _, how := range pick(random, spoils, 4) {
				cards = append(cards, s.spoilt(r, how, seconds(random, 5, 20)))
			}
		}
	}
	cards = append(cards, s.planeKilled(seconds(random, 0, 10)), s.touched(), s.failing(random, seconds(random, 10, 40)))
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

// locked is a fault to something that has a lock.
func locked(lock interface {
	TryLock() bool
	Unlock()
}, do func(context.Context) error, what string, args ...any) fault {
	return fault{what: fmt.Sprintf(what, args...), take: lock.TryLock, give: lock.Unlock, do: do}
}
