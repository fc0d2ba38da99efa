// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

// why is what led to a record, and what followed.
type why struct {
	Seq       int64          `json:"seq"`
	T         int64          `json:"t"`
	Kind      trace.Kind     `json:"kind"`
	Title     string         `json:"title"`
	Took      int64          `json:"took,omitempty"`
	Object    trace.ObjectID `json:"obj,omitempty"`
	Key       string         `json:"key,omitempty"`
	Reconcile string         `json:"reconcile,omitempty"`
	Cause     int64          `json:"cause,omitempty"`  // Seq of the nearest one
	Effect    int64          `json:"effect,omitempty"` // Seq of the nearest one
	Missing   bool           `json:"missing,omitempty"`
	Sections  []section      `json:"sections"`
}

type section struct {
	Title string `json:"title"`
	Items []item `json:"items"`
}

type item struct {
	Text      string          `json:"text"`
	Seq       int64           `json:"seq,omitempty"`
	T         int64           `json:"t,omitempty"`
	Certainty trace.Certainty `json:"certainty,omitempty"`
	Proof     string          `json:"proof,omitempty"`
	Changes   []trace.Change  `json:"changes,omitempty"`
	Pre       string          `json:"pre,omitempty"`
}

// maxItems bounds the items of a section.
const maxItems = 50

func (w *why) add(title string, items ...item) {
	if over := len(items) - maxItems; over > 0 {
		items = append(items[:maxItems:maxItems], item{Text: fmt.Sprintf("%d more", over)})
	}
	if len(items) > 0 {
		w.Sections = append(w.Sections, section{title, items})
	}
}

func (w *why) causedBy(seq int64) {
	if w.Cause == 0 && seq != w.Seq {
		w.Cause = seq
	}
}

func (w *why) ledTo(seq int64) {
	if w.Effect == 0 && seq != w.Seq {
		w.Effect = seq
	}
}

func (i item) by(l model.Link) item {
	i.Certainty, i.Proof = l.Certainty, l.Proof
	return i
}

// why answers why a record is.
func (s *session) why(q query) any {
	seq := q.number("seq")
	r, ok := s.model.Record(seq)
	w := &why{Seq: seq, Sections: []section{}}
	if !ok {
		w.Title, w.Missing = fmt.Sprintf("record #%d", seq), true
		return w
	}
	w.T, w.Kind = r.T, r.Body.Kind()
	w.Title = s.describe(r)
	switch b := r.Body.(type) {
	case *trace.Request:
		if req := s.model.Request(b.ID); req != nil {
			s.whyRequest(w, req)
		}
	case *trace.Version:
		if o := s.model.Object(b.Object); o != nil && o.At(b.RV) != nil {
			s.whyVersion(w, o.At(b.RV))
		}
	case *trace.Event:
		s.whyDelivery(w, b, r)
	case *trace.Reconcile:
		if rec := s.model.Reconcile(b.ID); rec != nil {
			s.whyReconcile(w, rec)
		}
	case *trace.Log:
		s.whyLog(w, b)
	case *trace.Finding:
		s.whyFinding(w, b)
	default:
		s.whyOther(w, b)
	}
	return w
}

func requestItem(r *model.Request) item {
	text := fmt.Sprintf("%s %s by %s: %d", r.Method(), target(r), actorName(r.Actor), r.Code)
	if r.Reason != "" {
		text += " " + r.Reason
	}
	if r.NoOp {
		text += ", changed nothing"
	}
	return item{Text: text, Seq: r.Seq, T: r.T}
}

func versionItem(v *model.Version) item {
	return item{Text: fmt.Sprintf("%s, version %d", v.Object, v.RV), Seq: v.Seq, T: v.T}
}

func (s *session) reconcileItem(r *model.Reconcile) item {
	name := "reconcile of " + r.Key
	if r.Object != nil {
		name = "reconcile of " + r.Object.String()
	}
	if r.Source == model.SourceInferred {
		return item{Text: name + ", as its requests suggest", T: r.Began}
	}
	if r.Result != "" {
		name += ": " + r.Result + " after " + model.Duration(r.Took())
	}
	return item{Text: name, Seq: r.Seq, T: r.Began}
}

func (s *session) whyRequest(w *why, r *model.Request) {
	w.Took = r.T - r.Began
	if r.Object != nil {
		w.Object, w.Key = r.Object.ID, r.Object.Key()
	}
	sender := []item{{Text: fmt.Sprintf("%s (%s), user %s", actorName(r.Actor), r.Actor.Class, r.Actor.User), Certainty: trace.Certain, Proof: "credential"}}
	if rec, link := s.model.ReconcileOf(r); rec != nil {
		i := s.reconcileItem(rec).by(link)
		sender = append(sender, i)
		w.Reconcile, w.Key = rec.ID, rec.Key
		w.causedBy(i.Seq)
	}
	w.add("Sent by", sender...)
	if v, link := r.Base(); v != nil {
		i := versionItem(v).by(link)
		if r.OnOwn() {
			i.Text += ", which it wrote itself"
		}
		w.add("Decided on", i)
		w.causedBy(v.Seq)
	}
	s.whyConflict(w, r)
	if v := r.Version; v != nil {
		i := versionItem(v).by(v.Writer)
		i.Changes = v.Changes
		w.add("Made", i)
		w.ledTo(v.Seq)
	}
	if len(r.Drift) > 0 {
		w.add("Stored otherwise than sent", item{Text: "defaults or webhooks changed what was sent", Changes: r.Drift})
	}
	if r.Message != "" {
		w.add("Answer", item{Text: r.Message})
	}
	var right []item
	if r.Decision != "" {
		right = append(right, item{Text: strings.TrimSpace(r.Decision + " " + r.Because)})
	}
	for _, warning := range r.Warnings {
		right = append(right, item{Text: "warning: " + warning})
	}
	w.add("Rights and warnings", right...)
	var split []item
	for _, name := range sortedKeys(r.Layers) {
		split = append(split, item{Text: name + " " + model.Duration(r.Layers[name])})
	}
	w.add("Time", split...)
	if r.Body != nil {
		w.add("Body", item{Text: "sent", Pre: indent(r.Body)})
	}
}

func (s *session) whyConflict(w *why, r *model.Request) {
	v, link := r.Winner()
	if v == nil {
		if r.Conflict() {
			w.add("Refused because of", item{Text: "another version, whose write was not recorded", Certainty: trace.Uncertain})
		}
		return
	}
	winner := versionItem(v).by(link)
	winner.Changes = v.Changes
	items := []item{winner}
	if v.Request != nil {
		items = append(items, requestItem(v.Request).by(v.Writer))
	}
	switch lag, d := s.model.Stale(r); lag {
	case model.LagCache:
		items = append(items, item{
			Text: fmt.Sprintf("its watch had a newer version %s before: the cache or the code was stale", model.Duration(r.Began-d.T)),
			Seq:  d.Seq, Certainty: trace.Certain, Proof: "delivered before the request began",
		})
	case model.LagWatch:
		i := item{Text: "its watch did not have a newer version yet: watch lag", Certainty: trace.Certain, Proof: "not delivered when the request began"}
		if s.hasGap(v.T, r.Began) {
			i.Certainty, i.Proof = trace.Likely, "no delivery is recorded before the request began, but the recording has a gap then"
		}
		items = append(items, i)
	case model.LagNoWatch:
		items = append(items, item{Text: "it has no watch of the resource"})
	}
	w.add("Refused because of", items...)
	w.Cause = v.Seq
}

// hasGap reports whether records between two times were dropped.
func (s *session) hasGap(from, to int64) bool {
	return slices.ContainsFunc(s.gaps, func(g gap) bool { return g.From <= to && g.To >= from })
}

func (s *session) whyVersion(w *why, v *model.Version) {
	w.Object, w.Key = v.Object.ID, v.Object.Key()
	if v.Request != nil {
		w.add("Written by", requestItem(v.Request).by(v.Writer))
		w.causedBy(v.Request.Seq)
	} else {
		w.add("Written by", item{Text: "a request that was not recorded", Certainty: trace.Uncertain})
	}
	switch {
	case v.ManagedOnly:
		w.add("Changed", item{Text: "nothing but metadata.managedFields"})
	case len(v.Changes) > 0:
		w.add("Changed", item{Text: fmt.Sprintf("against version %d", v.Prev), Changes: v.Changes})
	}
	var delivered []item
	for _, d := range v.Delivered(s.model, nil) {
		delivered = append(delivered, item{
			Text: fmt.Sprintf("%s to %s, after %s", d.Type, actorName(s.model.Actor(d.Actor)), model.Duration(d.T-v.T)), Seq: d.Seq, T: d.T,
			Certainty: trace.Certain, Proof: "handed over; not that it was handled",
		})
		w.ledTo(d.Seq)
	}
	w.add("Delivered", delivered...)
	w.add("Then", s.reconcilesOf(v)...)
}

// reconcilesOf returns the reconciles that a version was a cause of.
func (s *session) reconcilesOf(v *model.Version) (all []item) {
	for _, k := range s.model.Keys() {
		if k.Key != v.Object.Key() && (v.Object.Controller() == nil || !strings.HasSuffix(k.Key, v.Object.Controller().Name)) {
			continue
		}
		for _, r := range s.model.Reconciles(k) {
			if r.Began < v.T-int64(1e9) {
				continue
			}
			for _, c := range s.model.Causes(r) {
				if c.Version == v {
					i := s.reconcileItem(r)
					i.Certainty, i.Proof = c.Certainty, c.Proof
					all = append(all, i)
				}
			}
			if r.Began > v.T+int64(60e9) || len(all) > maxItems {
				break
			}
		}
	}
	return all
}

func (s *session) whyDelivery(w *why, b *trace.Event, r trace.Record) {
	o := s.model.Object(b.Object)
	if o == nil {
		return
	}
	w.Object, w.Key = o.ID, o.Key()
	v := o.At(b.RV)
	if v != nil {
		i := versionItem(v)
		i.Certainty, i.Proof = trace.Certain, "same version"
		w.add("Version", i)
		w.causedBy(v.Seq)
		then := s.reconcilesOf(v)
		w.add("Then", then...)
		if len(then) > 0 {
			w.ledTo(then[0].Seq)
			return
		}
	}
	var keys []item
	for _, k := range s.model.KeysOf(&model.Delivery{Event: b, Seq: r.Seq, T: r.T}) {
		keys = append(keys, item{Text: "key " + k.Object.Key() + " (" + k.Why + ")"}.by(k.Link))
	}
	w.add("May have queued", keys...)
}

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
