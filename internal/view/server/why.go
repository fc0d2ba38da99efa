// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"

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
		if req := s.model.RequestAt(r.Seq); req != nil {
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
		name += ": " + r.Result
	}
	if r.Result != "" && !r.NoBegin {
		name += " after " + model.Duration(r.Took())
	}
	return item{Text: name, Seq: r.Seq, T: r.Began}
}
