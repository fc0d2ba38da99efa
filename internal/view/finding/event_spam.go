// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/trace"
)

var eventSpam = &Type{
	Name:  "event-spam",
	lacks: noKubeEvents,
	Means: "at least 30 Events of one reason about one object within 30 seconds",
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

// spamming is of one object: many new objects have many Events, which is as it should be.
type spamming struct {
	who, reason string
	object      trace.ObjectID
}

type repeated struct {
	object          trace.ObjectID
	reason, message string
}

func (s *spam) event(b *trace.KubeEvent, r trace.Record) {
	who := s.m.Actor(b.Actor)
	o := s.m.Object(b.Object)
	if who.Class == trace.ClassSystem || o == nil {
		return
	}
	k := spamming{who.Name, b.Reason, b.Object}
	w := windowOf(s.of, k)
	for range s.more(b) {
		w.add(r.T, r.Seq)
	}
	if w.cut(r.T - spamWindow); w.n() < spamLeast {
		return
	}
	s.report(trace.Finding{
		Subject: k.subject(), Since: w.first(), Certainty: trace.Certain, Evidence: evidence(w.evidence()...),
		Message: fmt.Sprintf("%s sends Events about %s %s with the reason %s, the newest: %s", k.who, o, perSecond(w.rate()), k.reason, quote(b.Message)),
	}, r.T)
}

// subject is of all objects: what sends too many Events about one mostly does so about others, for the same reason.
func (k spamming) subject() string { return k.who + ", " + k.reason }

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
	still, quiet := map[string]bool{}, map[string]bool{}
	for k, w := range s.of {
		switch {
		case now-w.last() > spamWindow:
			delete(s.of, k)
			quiet[k.subject()] = true
		case w.n() >= spamLeast:
			still[k.subject()] = true
		}
	}
	for subject := range quiet {
		if !still[subject] {
			s.resolve(subject)
		}
	}
}
