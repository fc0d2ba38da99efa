// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

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
	for _, name := range slices.Sorted(maps.Keys(r.Layers)) {
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
	switch lag, d := s.model.Stale(r); {
	case s.model.Read(r) != nil:
		read := requestItem(s.model.Read(r))
		read.Certainty, read.Proof = trace.Certain, "read without a cache, this version; another write came in between"
		items = append(items, read)
	case lag == model.LagCache:
		items = append(items, item{
			Text: fmt.Sprintf("its watch had a newer version %s before: the cache or the code was stale", model.Duration(r.Began-d.T)),
			Seq:  d.Seq, Certainty: trace.Certain, Proof: "delivered before the request began",
		})
	case lag == model.LagWatch:
		i := item{Text: "its watch did not have a newer version yet: watch lag", Certainty: trace.Certain, Proof: "not delivered when the request began"}
		if s.hasGap(v.T, r.Began) {
			i.Certainty, i.Proof = trace.Likely, "no delivery is recorded before the request began, but the recording has a gap then"
		}
		items = append(items, i)
	case lag == model.LagNoWatch:
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
		reconciles := s.model.Reconciles(k) // by begin
		for _, r := range reconciles[sort.Search(len(reconciles), func(i int) bool { return reconciles[i].Began >= v.T-int64(1e9) }):] {
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
