// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

type requestRow struct {
	Seq    int64            `json:"seq"`
	T      int64            `json:"t"`
	Actor  string           `json:"actor"`
	Class  trace.Class      `json:"class"`
	Method string           `json:"method"`
	Target string           `json:"target"`
	Object trace.ObjectID   `json:"obj,omitempty"`
	Code   int              `json:"code"`
	Reason string           `json:"reason,omitempty"`
	Took   int64            `json:"took"`
	Layers map[string]int64 `json:"layers,omitempty"`
	NoOp   bool             `json:"noop,omitempty"`
	RVIn   uint64           `json:"rvIn,omitempty"`
	RVOut  uint64           `json:"rvOut,omitempty"`
	Bytes  int64            `json:"bytes,omitempty"`
}

func actorName(a *model.Actor) string {
	if a.Build > 0 {
		return a.Name + ", build " + strconv.Itoa(a.Build)
	}
	return a.Name
}

// target is what a request is about, without the subresource, which is part of the method.
func target(r *model.Request) string { return strings.TrimSuffix(r.Target(), "/"+r.Subresource) }

func requestRowOf(r *model.Request) requestRow {
	return requestRow{
		Seq: r.Seq, T: r.Began, Actor: actorName(r.Actor), Class: r.Actor.Class, Method: r.Method(), Target: target(r), Object: r.Request.Object,
		Code: r.Code, Reason: r.Reason, Took: r.T - r.Began, Layers: r.Layers, NoOp: r.NoOp, RVIn: r.RVIn, RVOut: r.RVOut, Bytes: r.Bytes,
	}
}

// requests answers with the requests that a filter takes, the newest first.
func (s *session) requests(q query) any {
	object := trace.ObjectID(q.number("obj"))
	own, writes, failed := q.is("own"), q.is("writes"), q.is("failed")
	found := filtered(s, q, "requests", func() []*model.Request { return s.model.Requests() }, seqOf, func(r *model.Request) bool {
		switch {
		case !q.inTime(r.T), own && !r.Actor.Who.Own(), writes && !r.Writes(), failed && r.Code < 400, object != 0 && !s.isAbout(r, object):
			return false
		}
		return len(q.text) == 0 || hasWords(q.text, r.Actor.Name, r.Verb, r.Method(), r.Target(), r.Resource.Kind, strconv.Itoa(r.Code), r.Reason)
	})
	return page(s, q, found, requestRowOf)
}

func seqOf(r *model.Request) int64 { return r.Seq }

// isAbout reports whether a request is about an object, which may have been linked later.
func (s *session) isAbout(r *model.Request, id trace.ObjectID) bool {
	if r.Object != nil {
		return r.Object.ID == id
	}
	o := s.model.Object(id)
	return o != nil && o.Name == r.Name && o.Namespace == r.Namespace && model.GroupResource(o.Resource()) == model.GroupResource(r.Resource)
}

type watchRow struct {
	Seq       int64       `json:"seq"`
	Actor     string      `json:"actor"`
	Class     trace.Class `json:"class"`
	Resource  string      `json:"resource"`
	Namespace string      `json:"ns,omitempty"`
	Selector  string      `json:"selector,omitempty"`
	Opened    int64       `json:"opened,omitempty"`
	Synced    bool        `json:"synced"`
	Ended     int64       `json:"ended,omitempty"`
	End       string      `json:"end,omitempty"`
	Events    int64       `json:"events"`
	Objects   int64       `json:"objects,omitempty"`
	Bytes     int64       `json:"bytes,omitempty"`
}

// watches answers with the watches, those that are open first.
func (s *session) watches(q query) any {
	var found []*model.Watch
	words, own := q.text, q.is("own")
	for _, w := range s.model.Watches() {
		if (!own || w.Actor.Who.Own()) && hasWords(words, w.Actor.Name, model.GroupResource(w.Resource), w.Namespace, w.Labels, w.Fields) {
			found = append(found, w)
		}
	}
	slices.SortStableFunc(found, func(a, b *model.Watch) int { return min(int(b.Ended), 1) - min(int(a.Ended), 1) })
	return page(s, q, found, func(w *model.Watch) watchRow {
		selector := w.Labels
		if w.Fields != "" {
			if selector != "" {
				selector += " "
			}
			selector += w.Fields
		}
		return watchRow{
			Seq: w.Seq, Actor: actorName(w.Actor), Class: w.Actor.Class, Resource: model.GroupResource(w.Resource), Namespace: w.Namespace,
			Selector: selector, Opened: w.Opened, Synced: w.Synced, Ended: w.Ended, End: w.End,
			Events: max(w.Delivered, w.Events), Objects: w.Objects, Bytes: w.Bytes,
		}
	})
}

type logRow struct {
	Seq       int64           `json:"seq"`
	T         int64           `json:"t"`
	Build     int             `json:"build,omitempty"`
	Stream    string          `json:"stream"`
	Level     string          `json:"level,omitempty"`
	Message   string          `json:"message"`
	Attrs     string          `json:"attrs,omitempty"`
	Key       string          `json:"key,omitempty"`
	Reconcile string          `json:"reconcile,omitempty"`
	Certainty trace.Certainty `json:"certainty,omitempty"`
}

// log answers with the lines of the controller, the newest first.
func (s *session) log(q query) any {
	key, level, reconcile := q.Get("key"), q.Get("level"), q.Get("reconcile")
	found := filtered(s, q, "log", func() []*model.Log { return s.model.Logs() }, func(l *model.Log) int64 { return l.Seq }, func(l *model.Log) bool {
		switch {
		case !q.inTime(l.T), key != "" && l.Key != key, level != "" && l.Level != level, reconcile != "" && l.Reconcile != reconcile:
			return false
		}
		return len(q.text) == 0 || hasWords(q.text, l.Message, l.Key, attrs(l))
	})
	return page(s, q, found, logRowOf)
}

func logRowOf(l *model.Log) logRow {
	return logRow{
		Seq: l.Seq, T: l.T, Build: l.Build, Stream: l.Stream, Level: l.Level, Message: l.Message, Attrs: attrs(l),
		Key: l.Key, Reconcile: l.Reconcile, Certainty: l.Certainty,
	}
}

func attrs(l *model.Log) string {
	if len(l.Attrs) == 0 {
		return ""
	}
	text, _ := json.Marshal(l.Attrs) // was JSON
	return string(text)
}
