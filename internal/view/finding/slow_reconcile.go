// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var slowReconcile = &Type{
	Name:  "slow-reconcile",
	Means: "at least 3 reconciles of a controller within a minute took more than a second, each or on average",
	Fix:   "look at what it waits for: requests, a hook, or calls of other systems, which belong behind a timeout; let the queue work on more keys at once",
	needs: []trace.Kind{trace.KindReconcile},
	lacks: noReconcilesOrMetrics,
	install: func(b base) {
		s := &slow{base: b, of: map[string]*window{}, samples: map[string]sample{}, took: map[string][]sample{}}
		b.onEnd = append(b.onEnd, s.end)
		b.onMetrics = append(b.onMetrics, s.metrics)
		b.onTick = append(b.onTick, s.tick)
	},
}

const (
	slowTook   = second
	slowWindow = 60 * second
	slowLeast  = 3
)

type slow struct {
	base

	of      map[string]*window // by controller
	samples map[string]sample
	took    map[string][]sample // what was slow within the window, by controller
}

// sample is a histogram of times: how many until when, and their sum in seconds.
type sample struct {
	n, sum float64
	t      int64
}

func (s *slow) end(rec *model.Reconcile) {
	if rec.Took() < slowTook {
		return
	}
	w := windowOf(s.of, rec.Controller)
	w.add(rec.Ended, rec.EndSeq)
	if w.cut(rec.Ended - slowWindow); w.n() < slowLeast {
		return
	}
	message := fmt.Sprintf("%s: %d reconciles took more than %s, the newest of %s took %s", rec.Controller, w.total, model.Duration(slowTook), subjectOf(rec), model.Duration(rec.Took()))
	sent, l := s.m.SentIn(rec)
	certainty := trace.Certain
	if len(sent) > 0 {
		total, slowest := int64(0), sent[0]
		for _, r := range sent {
			total += r.T - r.Began
			if r.T-r.Began > slowest.T-slowest.Began {
				slowest = r
			}
		}
		if total > rec.Took()/10 {
			certainty = l.Certainty
			message += fmt.Sprintf(", %s of it in %s, the slowest is %s %s", model.Duration(total), text.Count(len(sent), "request", "requests"), slowest.Method(), slowest.Target())
		} else {
			message += ", hardly any of it in requests to the API server"
		}
	}
	hook := int64(0)
	for _, h := range s.m.Hooks(rec.ID) {
		hook += h.T - h.Body.(*trace.Hook).Began
	}
	if hook > 0 {
		message += fmt.Sprintf(", %s in the hook", model.Duration(hook))
	}
	s.report(trace.Finding{Subject: rec.Controller, Since: w.began, Message: message, Certainty: certainty, Evidence: w.evidence()}, rec.Ended)
}

// metrics is for controllers whose reconciles are not recorded. As many as are counted singly have to be slow: the first may wait for what is made
// but once.
func (s *slow) metrics(b *trace.Metrics, r trace.Record) {
	if s.IsRecorded(trace.ClassController) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(b.Samples)) {
		controller, ok := labelOf(name, "controller_runtime_reconcile_time_seconds_count", "controller")
		if !ok {
			continue
		}
		now := sample{b.Samples[name], sumOf(b.Samples, "controller_runtime_reconcile_time_seconds_sum", controller), r.T}
		was, known := s.samples[controller]
		s.samples[controller] = now
		n, sum := now.n-was.n, now.sum-was.sum
		if !known || n < 1 || sum/n <= float64(slowTook)/float64(second) {
			continue
		}
		w := windowOf(s.of, controller)
		w.add(r.T, r.Seq)
		s.took[controller] = append(slices.DeleteFunc(s.took[controller], func(old sample) bool { return old.t < r.T-slowWindow }), sample{n, sum, r.T})
		n, sum = 0, 0
		for _, slow := range s.took[controller] {
			n, sum = n+slow.n, sum+slow.sum
		}
		if n < slowLeast {
			continue
		}
		s.report(trace.Finding{
			Subject: controller, Since: w.began, Certainty: trace.Certain, Evidence: w.evidence(),
			Message: fmt.Sprintf("%s: %.0f reconciles took %s on average, as its metrics say", controller, n, model.Duration(int64(sum/n*float64(second)))),
		}, r.T)
	}
}

func sumOf(samples map[string]float64, metric, controller string) float64 {
	for name, v := range samples {
		if c, ok := labelOf(name, metric, "controller"); ok && c == controller {
			return v
		}
	}
	return 0
}

func (s *slow) tick(now int64) {
	for controller, w := range s.of {
		if w.n() == 0 || now-w.last() > slowWindow {
			delete(s.of, controller)
			delete(s.took, controller)
			s.resolve(controller)
		}
	}
}
