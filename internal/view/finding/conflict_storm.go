// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var conflictStorm = &Type{
	Name:  "conflict-storm",
	Means: "at least 5 writes of an object by one client within 10 seconds were refused because the object had changed",
	Fix:   "patch instead of updating, or let one client write each part of the object; on a conflict return and reconcile again with the newest version",
	needs: []trace.Kind{trace.KindRequest},
	install: func(b base) {
		s := &storms{base: b, of: map[drifting]*window{}}
		b.onRequest = append(b.onRequest, s.request)
		b.onTick = append(b.onTick, s.tick)
	},
}

const (
	stormWindow = 10 * second
	stormLeast  = 5
)

type storms struct {
	base

	of map[drifting]*window
}

func (s *storms) request(r *model.Request) {
	if w := s.of[drifting{r.Actor.Who, r.Object}]; w != nil && r.Writes() && r.OK() {
		w.succeeded()
	}
	if !r.Conflict() || r.Object == nil || r.Actor.Class == trace.ClassSystem || r.Actor.Class == trace.ClassCrdctl {
		return
	}
	k := drifting{r.Actor.Who, r.Object}
	w := windowOf(s.of, k)
	w.add(r.T, r.Seq)
	if w.cut(r.T - stormWindow); w.n() < stormLeast {
		return
	}
	cause, certainty, seqs := "because of a write that was not seen", trace.Certain, w.evidence()
	if v, l := r.Winner(); v != nil && v.Request != nil {
		cause, certainty, seqs = "because of a write by "+by(v.Request), withWriter(l.Certainty, v), append(seqs, v.Seq)
		if certainty != trace.Certain {
			cause = "probably " + cause
		}
	}
	s.report(trace.Finding{
		Subject: k.subject(), Since: w.first(), Certainty: certainty, Evidence: evidence(seqs...),
		Message: fmt.Sprintf("%s on %s by %s, %s; the newest %s", text.Count(w.total, "conflict", "conflicts"), r.Object, r.Actor.Name, perSecond(w.rate()), cause),
	}, r.T)
}

func (k drifting) subject() string { return k.who.Name + ", " + k.object.String() }

func (s *storms) tick(now int64) {
	for k, w := range s.of {
		if w.isOver(now, stormWindow) {
			delete(s.of, k)
			s.resolve(k.subject())
		}
	}
}
