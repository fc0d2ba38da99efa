// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

func (s *session) whyReconcile(w *why, r *model.Reconcile) {
	w.Took, w.Key, w.Reconcile = r.Took(), r.Key, r.ID
	if r.Object != nil {
		w.Object = r.Object.ID
	}
	var causes []item
	for _, c := range s.model.Causes(r) {
		i := item{Text: causeWords(c.Why), T: c.At}
		switch {
		case c.Version != nil:
			i.Seq, i.T, i.Changes = c.Version.Seq, c.Version.T, c.Version.Changes
			i.Text += ": " + versionItem(c.Version).Text
			if c.Version.Request != nil {
				by := ", written by "
				if c.Version.Writer.Certainty != trace.Certain {
					by = ", likely written by "
				}
				i.Text += by + actorName(c.Version.Request.Actor) + ": " + c.Version.Request.Method()
			}
			w.causedBy(c.Version.Seq)
		case c.RV != 0:
			i.Text += fmt.Sprintf(": version %d", c.RV)
		}
		i.Certainty, i.Proof = c.Certainty, c.Proof
		causes = append(causes, i)
	}
	if len(causes) == 0 {
		causes = []item{{Text: "nothing that was recorded", Certainty: trace.Uncertain}}
	}
	w.add("Because", causes...)
	if r.Waited > 0 {
		w.add("Waited", item{Text: model.Duration(r.Waited) + " in the queue"})
	}
	var did []item
	sent, link := s.model.SentIn(r)
	for _, q := range sent {
		did = append(did, requestItem(q).by(link))
		if q.Version != nil {
			w.ledTo(q.Seq)
		}
	}
	w.add("Sent", did...)
	var children []item
	for _, d := range s.model.Decisions(r.ID) {
		text := d.Child + ": " + d.Action
		if d.Why != "" {
			text += ", " + d.Why
		}
		children = append(children, item{Text: text, Certainty: trace.Certain, Proof: "the built-in controller recorded it"})
	}
	w.add("Decided", children...)
	var hooks []item
	for _, h := range s.model.Hooks(r.ID) {
		hooks = append(hooks, item{Text: s.describe(h), Seq: h.Seq, T: h.T})
	}
	w.add("Hook", hooks...)
	end := r.Result
	if r.Err != "" {
		end += ": " + r.Err
	}
	if r.After > 0 {
		end += ", to run again after " + model.Duration(r.After)
	}
	if end != "" {
		w.add("Result", item{Text: end})
	}
	var lines []item
	for _, l := range s.model.Lines(r) {
		lines = append(lines, item{Text: l.Message, Seq: l.Seq, T: l.T, Certainty: l.Certainty})
	}
	w.add("Log", lines...)
}

func causeWords(why string) string {
	if words, ok := map[string]string{
		"own": "the object itself changed", "child": "a child changed", "related": "a related object changed", "resync": "resync",
		"hook": "the hook changed", "shard": "the shard gained it", "timer": "a timer", "retry": "another try after an error",
	}[why]; ok {
		return words
	}
	return why
}

func (s *session) whyLog(w *why, b *trace.Log) {
	w.Key, w.Reconcile = b.Key, b.Reconcile
	w.add("Line", item{Text: b.Message, Pre: attrs(&model.Log{Log: b})})
	if r := s.model.Reconcile(b.Reconcile); r != nil {
		i := s.reconcileItem(r)
		i.Certainty = b.Certainty
		w.add("Printed in", i)
		w.causedBy(i.Seq)
	}
}

func (s *session) whyFinding(w *why, b *trace.Finding) {
	w.add("Finding", item{Text: b.Message, Certainty: b.Certainty}, item{Text: b.Fix})
	var evidence []item
	for _, seq := range b.Evidence {
		i := item{Text: fmt.Sprintf("record #%d, no longer held", seq)}
		if r, ok := s.model.Record(seq); ok {
			i = item{Text: s.describe(r), Seq: seq, T: r.T}
		}
		evidence = append(evidence, i)
	}
	w.add("Evidence", evidence...)
}

func (s *session) whyOther(w *why, body trace.Body) {
	switch b := body.(type) {
	case *trace.Save:
		var steps []item
		for _, step := range b.Steps {
			text := step.Name + " ok, " + model.Duration(step.Took)
			if !step.OK {
				text = step.Name + " failed"
			}
			steps = append(steps, item{Text: text, Pre: step.Message})
		}
		w.add("Steps", steps...)
	case *trace.Admission:
		if r := s.model.Request(b.Request); r != nil {
			w.add("Called for", requestItem(r).by(model.Link{Certainty: trace.Certain, Proof: "audit ID"}))
			w.causedBy(r.Seq)
		}
		w.Took = w.T - b.Began
		if b.Err != "" {
			w.add("Error", item{Text: b.Err})
		}
		if b.Reason != "" {
			w.add("Denied", item{Text: b.Reason})
		}
		if b.Canceled {
			w.add("Canceled", item{Text: "the client of the request went away before there was an answer"})
		}
		if b.Patch != nil {
			w.add("Patch", item{Text: "made", Pre: indent(b.Patch)})
		}
	case *trace.Hook:
		w.Took = w.T - b.Began
		w.Reconcile = b.Reconcile
		if r := s.model.Reconcile(b.Reconcile); r != nil {
			w.Key = r.Key
			w.add("Called by", s.reconcileItem(r).by(model.Link{Certainty: trace.Certain, Proof: "recorded by the built-in controller"}))
			w.causedBy(r.Seq)
		}
		if b.Err != "" {
			w.add("Error", item{Text: b.Err})
		}
		if b.Stderr != "" {
			w.add("Standard error", item{Text: "printed", Pre: b.Stderr})
		}
		if b.Question != nil {
			w.add("Question", item{Text: "sent", Pre: indent(b.Question)})
		}
		if b.Answer != nil {
			w.add("Answer", item{Text: "received", Pre: indent(b.Answer)})
		}
	case *trace.KubeEvent:
		w.Object = b.Object
		w.add("Event", item{Text: b.Message})
		if rec, l := s.model.ReconcileOfEvent(b, w.T); rec != nil {
			w.Reconcile, w.Key = rec.ID, rec.Key
			w.add("Sent by", s.reconcileItem(rec).by(l))
			w.causedBy(rec.Seq)
		}
	case *trace.Queue:
		w.Key = b.Key
		if o := s.model.Object(b.Object); o != nil {
			if v := o.At(b.RV); v != nil {
				w.add("Because of", versionItem(v).by(model.Link{Certainty: trace.Certain, Proof: "recorded by the queue"}))
				w.causedBy(v.Seq)
			}
		}
	}
}
