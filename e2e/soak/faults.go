// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/crdctl/crdctl/e2e/internal/harness/faultproxy"
)

// faultEvery is how long there is between two faults, on the average.
const faultEvery = 8 * time.Second

// fault is something that goes wrong for a while.
type fault struct {
	what       string
	victim     *sync.Mutex // held while it lasts
	seconds    int         // it lasts at most
	begin, end func()
}

// deck is every fault, some of them for each replica, in random order: so each comes up as often as it should, and not as
// chance has it.
func (s *soak) deck() []fault {
	var keys []string
	for range 5 {
		keys = append(keys, namespace+"/"+basketName(s.random.IntN(objects)))
	}
	failing := func(keys []string) func() {
		return func() { s.hooks.change(func() { s.hooks.failing = keys }) }
	}
	all := []fault{
		{"control plane: kill -9", &s.plane.life, 10, s.plane.kill, s.plane.start},
		{"the CRD is deleted with all objects, and made anew", &s.plane.life, 10, s.plane.removeCRD, s.plane.restoreCRD},
		{"the hook always fails for " + strings.Join(keys, ", "), &s.failing, 40, failing(keys), failing(nil)},
		{"the hook's program is touched", new(sync.Mutex), 1, func() {
			assert.NoError(s, os.Chtimes(s.hooks.program, time.Now(), time.Now()))
		}, func() {}},
	}
	for _, r := range s.replicas {
		add := func(victim *sync.Mutex, seconds int, what string, begin, end func()) {
			all = append(all, fault{"replica " + r.name + ": " + what, victim, seconds, begin, end})
		}
		add(&r.life, 30, "SIGSTOP and then SIGCONT", r.freeze, func() { r.signal("CONT") })
		if !r.spared {
			add(&r.life, 25, "kill -9", r.kill, r.start)
			add(&r.life, 10, "SIGTERM", r.end, r.start)
		}
		set := func(do rule) func() {
			return func() { s.hooks.change(func() { s.hooks.rules[r.name] = do }) }
		}
		for _, i := range s.random.Perm(len(rules))[:4] {
			add(&r.hook, 20, "the hook "+rules[i].what, set(rules[i].do), set(nil))
		}
		if r.proxy == nil {
			continue
		}
		cut := func() { r.proxy.EndWatches(faultproxy.End{}) }
		add(&r.network, 20, "connections refused", func() { assert.NoError(s, r.proxy.Close()) }, func() { assert.NoError(s, r.proxy.Open()) })
		add(&r.network, 5, "watches cut, twice", cut, cut)
		for _, i := range s.random.Perm(len(spoils))[:4] {
			var f *faultproxy.Fault
			begin := func() {
				f = r.proxy.Inject(-1, func(q *http.Request) bool { return spoils[i].matches(q) && rand.N(2) == 0 }, spoils[i].answer(r.proxy))
				cut() // so that there are new watches
			}
			add(&r.network, 20, spoils[i].what, begin, func() { f.End() })
		}
	}
	s.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// spoils are what a proxy does to every second request of a sort.
var spoils = []struct {
	what    string
	matches func(*http.Request) bool
	answer  func(*faultproxy.Proxy) http.HandlerFunc
}{
	{"410 for watches", faultproxy.IsWatch, always(faultproxy.Refuse(http.StatusGone, metav1.StatusReasonExpired))},
	{"410 in watches", faultproxy.IsWatch, always(faultproxy.ErrorEvent(http.StatusGone, metav1.StatusReasonExpired))},
	{"409 for writes", faultproxy.IsWrite, always(faultproxy.Refuse(http.StatusConflict, metav1.StatusReasonConflict))},
	{"429", every, always(faultproxy.Refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests))},
	{"503", every, always(faultproxy.Refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable))},
	{"answers to writes are lost", faultproxy.IsWrite, func(p *faultproxy.Proxy) http.HandlerFunc { return p.Lose }},
	{"slow", every, func(p *faultproxy.Proxy) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			idle(r.Context(), rand.N(2*time.Second))
			p.Forward(w, r)
		}
	}},
}

func every(*http.Request) bool { return true }

func always(answer http.HandlerFunc) func(*faultproxy.Proxy) http.HandlerFunc {
	return func(*faultproxy.Proxy) http.HandlerFunc { return answer }
}

// storm has faults happen for a time, while objects are written, and returns when the last of them is over.
func (s *soak) storm(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var going sync.WaitGroup
	defer going.Wait()
	for range writers {
		random := rand.New(rand.NewPCG(s.random.Uint64(), 0))
		going.Go(func() {
			wait.NonSlidingUntilWithContext(ctx, func(ctx context.Context) { s.write(ctx, random) }, time.Second*writers/writeRate)
		})
	}
	for ; ctx.Err() == nil; idle(ctx, time.Duration(s.random.Int64N(int64(2*faultEvery)))) {
		f := s.draw()
		lasts := time.Duration(1+s.random.IntN(f.seconds)) * time.Second
		s.faults++
		s.say("fault %d: %s, for %s", s.faults, f.what, lasts)
		going.Go(func() {
			defer f.victim.Unlock()
			f.begin()
			idle(ctx, lasts)
			f.end()
		})
	}
}

// draw takes the next card whose victim is not busy with another fault; the others' time will come.
func (s *soak) draw() fault {
	for {
		for i, f := range s.cards {
			if f.victim.TryLock() {
				s.cards = append(s.cards[:i:i], s.cards[i+1:]...)
				return f
			}
		}
		s.cards = append(s.cards, s.deck()...) // touching the hook is always possible
	}
}
