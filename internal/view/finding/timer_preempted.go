// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var timerPreempted = &Type{
	Name:  "timer-preempted",
	Means: "a reconcile asks to run again after some time, and runs in less than half of it, at least 3 times in a row, for at least that time",
	Fix:   "an event of the object or of what it owns comes first, often of the reconcile's own write: do not write what does not differ, or check the time yourself",
	needs: []trace.Kind{trace.KindReconcile},
	lacks: noReconciles,
	install: func(b base) {
		p := &preempted{base: b, of: map[model.Key]*preemption{}}
		b.onBegin = append(b.onBegin, p.begin)
		b.onTick = append(b.onTick, p.tick)
	},
}

const (
	preemptedLeast = 3
	preemptedQuiet = 30 * second
)

type preempted struct {
	base

	of map[model.Key]*preemption
}

type preemption struct {
	window

	subject string
}

func (p *preempted) begin(rec *model.Reconcile) {
	before := p.m.Previous(rec)
	if before == nil || before.After == 0 || before.Ended == 0 {
		return
	}
	k := model.Key{Controller: rec.Controller, Key: rec.Key}
	ran := rec.Began - before.Ended
	if ran*2 >= before.After {
		p.forget(k)
		return
	}
	w := p.of[k]
	if w == nil {
		w = &preemption{subject: subjectOf(rec)}
		p.of[k] = w
	}
	w.add(rec.Began, rec.Seq)
	if w.total < preemptedLeast || rec.Began-w.began < before.After {
		return // a rollout has several events at once, and is over before the timer would have run
	}
	message := fmt.Sprintf("%s asked to run again in %s, and ran after %s", w.subject, model.Duration(before.After), model.Duration(max(0, ran)))
	certainty := trace.Certain
	seqs := append(w.evidence(), before.EndSeq)
	if causes := p.m.Causes(rec); len(causes) > 0 {
		c := causes[0]
		what := c.Why
		certainty = weaker(c.Certainty)
		if c.Version != nil {
			what = fmt.Sprintf("%s changed (version %d %s)", c.Version.Object, c.RV, writtenBy(c.Version))
			certainty, seqs = withWriter(certainty, c.Version), append(seqs, c.Version.Seq)
		}
		if c.Certainty == trace.Certain {
			message += ": " + what
		} else {
			message += ", perhaps because " + what
		}
	}
	message += fmt.Sprintf("; %d times in a row", w.total)
	p.report(trace.Finding{Subject: w.subject, Since: w.began, Message: message, Certainty: certainty, Evidence: evidence(seqs...)}, rec.Began)
}

func (p *preempted) forget(k model.Key) {
	if w := p.of[k]; w != nil {
		delete(p.of, k)
		p.resolve(w.subject)
	}
}

func (p *preempted) tick(now int64) {
	for k, w := range p.of {
		if now-w.last() > preemptedQuiet {
			p.forget(k)
		}
	}
}
