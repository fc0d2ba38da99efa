// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var stuckFinalizer = &Type{
	Name:  "stuck-finalizer",
	Means: "an object is being deleted for more than 10 seconds, and waits for a finalizer",
	Fix:   "remove the finalizer when the cleanup is done, also if what it cleans up is gone; look at the last error",
	needs: []trace.Kind{trace.KindVersion},
	install: func(b base) {
		s := &stuck{base: b, of: map[*model.Object]*deleting{}}
		b.onVersion = append(b.onVersion, s.version)
		b.onEnd = append(b.onEnd, s.end)
		b.onRequest = append(b.onRequest, s.request)
		b.onTick = append(b.onTick, s.tick)
	},
}

const stuckAfter = 10 * second

type stuck struct {
	base

	of map[*model.Object]*deleting
}

// deleting is what happened since an object is being deleted.
type deleting struct {
	since      int64
	seqs       []int64
	finalizers []string
	removed    string // the finalizer that was removed last, and by whom
	remover    trace.Certainty
	reconciles window
	requests   window
	err        string
	key        model.Key
}

func (s *stuck) version(v *model.Version) {
	o := v.Object
	d := s.of[o]
	if v.Deleting == "" || len(v.Finalizers) == 0 || v.Type == "DELETED" {
		if d != nil {
			delete(s.of, o)
			s.resolve(o.String())
		}
		return
	}
	if d == nil {
		s.of[o] = &deleting{since: v.T, seqs: []int64{v.Seq}, finalizers: v.Finalizers}
		return
	}
	if len(v.Finalizers) < len(d.finalizers) {
		for _, f := range d.finalizers {
			if !contains(v.Finalizers, f) {
				d.removed = fmt.Sprintf("%s was removed at %s %s", f, at(v.T), writtenBy(v))
				d.remover = withWriter(trace.Certain, v)
			}
		}
		d.seqs = append(d.seqs, v.Seq)
	}
	d.finalizers = v.Finalizers
}

func contains(all []string, s string) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

func (s *stuck) end(rec *model.Reconcile) {
	if len(s.of) == 0 || rec.Object == nil {
		return
	}
	if d := s.of[rec.Object]; d != nil && rec.Ended > d.since {
		d.reconciles.add(rec.Ended, rec.EndSeq)
		d.err, d.key = rec.Err, model.Key{Controller: rec.Controller, Key: rec.Key}
	}
}

func (s *stuck) request(r *model.Request) {
	if len(s.of) == 0 || r.Object == nil || !r.Actor.Who.Own() {
		return
	}
	if d := s.of[r.Object]; d != nil && r.T > d.since {
		d.requests.add(r.T, r.Seq)
	}
}

func (s *stuck) tick(now int64) {
	for o, d := range s.of {
		if now-d.since >= stuckAfter {
			s.show(o, d, now)
		}
	}
}

func (s *stuck) show(o *model.Object, d *deleting, now int64) {
	message := fmt.Sprintf("%s deleting for %s, waits for %s", o, model.Duration(now-d.since), strings.Join(d.finalizers, ", "))
	switch recorded := s.IsRecorded(trace.ClassController) || s.IsRecorded(trace.ClassBuiltin); {
	case d.reconciles.total > 0 && !recorded:
		message += "; " + text.Count(d.reconciles.total, "reconcile", "reconciles") + " failed (others are not recorded)"
	case d.reconciles.total > 0:
		message += "; " + text.Count(d.reconciles.total, "reconcile", "reconciles")
	case recorded:
		message += "; not reconciled since"
	case d.requests.total > 0:
		message += fmt.Sprintf("; the controller sent %s about it since", text.Count(d.requests.total, "request", "requests"))
	default:
		message += "; the controller sent no request about it since"
	}
	if d.err != "" {
		message += ", last error " + quote(d.err)
	}
	if w := s.retries.of[d.key]; w != nil {
		if next := s.retries.nextTry(w); next != "" {
			message += ", " + next
		}
	}
	certainty := trace.Certain
	if d.removed != "" {
		certainty = d.remover
		message += "; " + d.removed
	}
	seqs := append(append(d.seqs, d.reconciles.evidence()...), d.requests.evidence()...)
	s.report(trace.Finding{Subject: o.String(), Since: d.since, Message: message, Certainty: certainty, Evidence: evidence(append([]int64(nil), seqs...)...)}, now)
}
