// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var staleWrite = &Type{
	Name:  "stale-write",
	Means: "at least 3 times within 10 seconds, the controller wrote an object on the basis of an older version: its cache or its watch was behind, or it had read the object before another client wrote it",
	Fix:   "return the error and reconcile again, or patch without a resource version; do not keep objects between reconciles",
	needs: []trace.Kind{trace.KindRequest, trace.KindVersion, trace.KindEvent},
	install: func(b base) {
		s := &stale{base: b, of: map[drifting]*window{}}
		b.onRequest = append(b.onRequest, s.request)
		b.onTick = append(b.onTick, s.tick)
	},
}

const (
	staleWindow = 10 * second
	staleLeast  = 3 // one now and then is how conflicts are meant to work
	staleKept   = second

	// readAgain is what to do where no cache is involved.
	readAgain = "on a conflict, get the object again and repeat the change (retry.RetryOnConflict), or patch without a resource version"
)

type stale struct {
	base

	of map[drifting]*window
}

func (s *stale) request(r *model.Request) {
	if w := s.of[drifting{r.Actor.Who, r.Object}]; w != nil && r.Writes() && r.OK() {
		w.succeeded()
	}
	if !r.Conflict() || !r.Actor.Who.Own() || r.Object == nil {
		return
	}
	v, l := r.Winner()
	if v == nil {
		return
	}
	k := drifting{r.Actor.Who, r.Object}
	w := windowOf(s.of, k)
	w.add(r.T, r.Seq)
	if w.cut(r.T - staleWindow); w.n() < staleLeast {
		return
	}
	winner := by(v.Request)
	if v.Request != nil && v.Request.Actor.Who == r.Actor.Who {
		winner = "an earlier write of its own (" + v.Request.Method() + ")"
	}
	certainty, had := withWriter(l.Certainty, v), "had won"
	if certainty != trace.Certain {
		had = "had probably won"
	}
	message := fmt.Sprintf("%s: %s sent version %d, but %d by %s %s", r.Object, r.Actor.Name, r.RVIn, v.RV, winner, had)
	seqs := []int64{v.Seq}
	if v.Request != nil {
		seqs = append(seqs, v.Request.Seq)
	}
	lag, d := s.m.Stale(r)
	if d != nil {
		seqs = append(seqs, d.Seq)
	}
	read, fix := s.m.Read(r), ""
	switch {
	case read != nil:
		seqs, fix = append(seqs, read.Seq), readAgain
		message += fmt.Sprintf("; it had read version %d by GET %s before, without a cache: another write came in between", r.RVIn, model.Duration(r.Began-read.T))
	case lag == model.LagCache:
		message += fmt.Sprintf("; its watch had it %s before: %s", model.Duration(r.Began-d.T), s.whyOld(r, d))
	case lag == model.LagWatch && d != nil:
		message += fmt.Sprintf("; its watch was handed it %s after the request began: watch lag", model.Duration(d.T-r.Began))
	case lag == model.LagWatch:
		message += "; its watch was not handed it: watch lag"
	case lag == model.LagNoWatch:
		fix = readAgain
		message += "; it does not watch such objects, so that it read the object before"
	}
	message += fmt.Sprintf(" (%d times)", w.total)
	s.report(trace.Finding{
		Subject: k.subject(), Since: w.began, Certainty: certainty, Message: message, Fix: fix, Evidence: evidence(append(w.evidence(), seqs...)...),
	}, r.T)
}

// whyOld is why a write was decided on an old version though a newer one had been delivered. A cache is called stale if a reconcile
// is known to have begun after that: else the controller can have read the object, or kept it, before.
func (s *stale) whyOld(r *model.Request, newer *model.Delivery) string {
	rec, l := s.m.ReconcileOf(r)
	switch exact := rec != nil && !rec.NoBegin && l.Certainty == trace.Certain; {
	case exact && rec.Began <= newer.T:
		return "the reconcile had begun by then, and used the object that it had read"
	case r.Began-newer.T > staleKept:
		return "it had kept an old copy, or its cache is far behind"
	case exact:
		return "stale cache"
	}
	return "stale cache, or it had read the object before that"
}

func (s *stale) tick(now int64) {
	for k, w := range s.of {
		if w.isOver(now, staleWindow) {
			delete(s.of, k)
			s.resolve(k.subject())
		}
	}
}
