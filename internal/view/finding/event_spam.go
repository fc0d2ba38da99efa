// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/trace"
)

var eventSpam = &Type{
	Name:  "event-spam",
	lacks: noKubeEvents,
	Means: "at least 30 Events of one reason within 30 seconds",
	Fix:   "record an Event when something changes, not in each reconcile",
	needs: []trace.Kind{trace.KindKubeEvent},
	install: func(b base) {
		s := &spam{base: b, of: map[spamming]*window{}, counts: map[repeated]int{}}
		b.onKubeEvent = append(b.onKubeEvent, s.event)
		b.onTick = append(b.onTick, s.tick)
	},
}

const (
	spamWindow = 30 * second
	spamLeast  = 30
	countsMax  = 10_000
)

type spam struct {
	base

	of     map[spamming]*window
	counts map[repeated]int // how often an Event was counted that the API server has once
}

type spamming struct{ who, reason string }

type repeated struct {
	object          trace.ObjectID
	reason, message string
}

func (s *spam) event(b *trace.KubeEvent, r trace.Record) {
	who := s.m.Actor(b.Actor)
	if who.Class == trace.ClassSystem {
		return
	}
	k := spamming{who.Name, b.Reason}
	w := windowOf(s.of, k)
	for range s.more(b) {
		w.add(r.T, r.Seq)
	}
	if w.cut(r.T - spamWindow); w.n() < spamLeast {
		return
	}
	about := "an object"
	if o := s.m.Object(b.Object); o != nil {
		about = o.String()
	}
	s.report(trace.Finding{
		Subject: k.who + ", " + k.reason, Since: w.first(), Certainty: trace.Certain, Evidence: evidence(w.evidence()...),
		Message: fmt.Sprintf("%s sends Events %s with the reason %s, the newest about %s: %s", k.who, perSecond(w.rate()), k.reason, about, quote(b.Message)),
	}, r.T)
}

// more is how many Events a record stands for: what its count is above that of the record before.
func (s *spam) more(b *trace.KubeEvent) int {
	if b.Count <= 1 {
		return 1
	}
	k := repeated{b.Object, b.Reason, b.Message}
	n := 1
	if was, ok := s.counts[k]; ok {
		n = b.Count - was
	}
	if len(s.counts) >= countsMax {
		clear(s.counts)
	}
	s.counts[k] = b.Count
	return min(max(n, 1), spamLeast)
}

func (s *spam) tick(now int64) {
	for k, w := range s.of {
		if now-w.last() > spamWindow {
			delete(s.of, k)
			s.resolve(k.who + ", " + k.reason)
		}
	}
}
