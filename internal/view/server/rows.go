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
	DryRun bool             `json:"dryRun,omitempty"`
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
		Code: r.Code, Reason: r.Reason, Took: r.T - r.Began, Layers: r.Layers, NoOp: r.NoOp, DryRun: r.DryRun, RVIn: r.RVIn, RVOut: r.RVOut, Bytes: r.Bytes,
	}
}

// requests answers with the requests that a filter takes, the newest first.
func (s *session) requests(q query) any {
	words, object := q.words(), trace.ObjectID(q.number("obj"))
	own, writes, failed := q.is("own"), q.is("writes"), q.is("failed")
	var found []*model.Request
	for _, r := range s.model.Requests() {
		switch {
		case !q.isHeld(r.Seq), !q.inTime(r.T), own && !r.Actor.Who.Own(), writes && !r.Writes(), failed && r.Code < 400:
		case object != 0 && (r.Object == nil || r.Object.ID != object):
		case !hasWords(words, r.Actor.Name, r.Verb, r.Method(), r.Target(), r.Resource.Kind, strconv.Itoa(r.Code), r.Reason):
		default:
			found = append(found, r)
		}
	}
	return page(s, q, found, requestRowOf)
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
	words, own := q.words(), q.is("own")
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
	words, key, level, reconcile := q.words(), q.Get("key"), q.Get("level"), q.Get("reconcile")
	var found []*model.Log
	for _, l := range s.model.Logs() {
		switch {
		case !q.isHeld(l.Seq), !q.inTime(l.T), key != "" && l.Key != key, level != "" && l.Level != level, reconcile != "" && l.Reconcile != reconcile:
		case len(words) > 0 && !hasWords(words, l.Message, l.Key, attrs(l)):
		default:
			found = append(found, l)
		}
	}
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
