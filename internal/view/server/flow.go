// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"maps"
	"slices"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

// flow is what led to what in a range of time: lanes of items, and the edges between them.
type flow struct {
	From  int64      `json:"from"`
	To    int64      `json:"to"`
	Lanes []lane     `json:"lanes"`
	Items []flowItem `json:"items"`
	Edges []edge     `json:"edges"`
	More  int        `json:"more,omitempty"` // items that are not listed
	Keys  int        `json:"keys"`           // lanes of keys that there are
	Seq   int64      `json:"seq"`
}

type lane struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // save, actor, watch or key
}

type flowItem struct {
	Seq   int64  `json:"seq"`
	Lane  int    `json:"lane"`
	Kind  string `json:"kind"` // save, read, write, delivery, wait, reconcile, request, version
	Begin int64  `json:"begin"`
	End   int64  `json:"end"`
	Text  string `json:"text"`
	Bad   bool   `json:"bad,omitempty"`

	text func() string // makes Text, which most items do not need
}

// edge leads from what was before to what came of it.
type edge struct {
	From      int64           `json:"from"`
	To        int64           `json:"to"`
	Certainty trace.Certainty `json:"certainty"`
}

const (
	maxFlowItems = 3000
	maxKeyLanes  = 40
	flowRange    = int64(10e9) // that is shown where none was chosen
	flowAfter    = int64(1e9)  // of it, for what came of the newest reconcile or request
)

func (s *session) flow(q query) any { return s.flowOf(q) }

// flowRows answers with the items as rows: the same content as the canvas has.
func (s *session) flowRows(q query) any {
	f := s.flowOf(q)
	type row struct {
		flowItem

		Name string `json:"name"`
	}
	return page(s, q, f.Items, func(i flowItem) row { return row{i, f.Lanes[i.Lane].Name} })
}

func (s *session) flowOf(q query) *flow {
	now := s.model.Now()
	f := &flow{From: q.from, To: q.to, Lanes: []lane{}, Items: []flowItem{}, Edges: []edge{}, Seq: s.last}
	if f.From == 0 && f.To == 0 && now > flowRange {
		f.To = s.busyUntil()
	}
	if f.To == 0 || f.To > now {
		f.To = now
	}
	if f.From == 0 {
		f.From = max(s.sums.begin, f.To-flowRange)
	}
	m := flowMaker{s: s, f: f, lanes: map[lane]int{}, words: q.text}
	m.laneOf(lane{"saves and builds", "save"})
	var keys []*model.Reconcile
	for r := range s.model.Records(f.From, f.To) {
		keys = m.add(r, keys)
	}
	m.keys(keys)
	slices.SortStableFunc(f.Items, func(a, b flowItem) int { return cmp.Compare(a.Begin, b.Begin) })
	if over := len(f.Items) - maxFlowItems; over > 0 {
		f.More = over
		f.Items = f.Items[over:]
	}
	for i := range f.Items {
		if of := &f.Items[i]; of.text != nil {
			of.Text, of.text = of.text(), nil
		}
	}
	m.order()
	return f
}

// busyUntil is the end of the range that is shown where none was chosen: the newest that has a reconcile or a request; 0 if there is none.
func (s *session) busyUntil() int64 {
	for _, r := range slices.Backward(s.model.Held()) {
		switch r.Body.(type) {
		case *trace.Reconcile:
			return r.T + flowAfter
		case *trace.Request:
			if q := s.model.RequestAt(r.Seq); q != nil && isShown(q) {
				return r.T + flowAfter
			}
		}
	}
	return 0
}

// isShown reports whether a request is one of the flow: not what others only read, and no watch, whose request is recorded when it ends.
func isShown(q *model.Request) bool {
	return !q.OK() || q.Verb != "watch" && (q.Writes() || q.Actor.Who.Own())
}

type flowMaker struct {
	s     *session
	f     *flow
	lanes map[lane]int
	words []string
}

func (m *flowMaker) laneOf(l lane) int {
	i, ok := m.lanes[l]
	if !ok {
		i = len(m.f.Lanes)
		m.lanes[l] = i
		m.f.Lanes = append(m.f.Lanes, l)
	}
	return i
}

func (m *flowMaker) item(l lane, i flowItem) {
	if len(m.words) > 0 {
		if i.text != nil {
			i.Text, i.text = i.text(), nil
		}
		if !hasWords(m.words, l.Name, i.Text) {
			return
		}
	}
	i.Lane = m.laneOf(l)
	m.f.Items = append(m.f.Items, i)
}

func (m *flowMaker) edge(from, to int64, c trace.Certainty) {
	if from != 0 && to != 0 && from != to && len(m.f.Edges) < 2*maxFlowItems {
		m.f.Edges = append(m.f.Edges, edge{from, to, c})
	}
}

// add takes a record that is not of a reconcile, and collects the reconciles.
func (m *flowMaker) add(r trace.Record, keys []*model.Reconcile) []*model.Reconcile {
	known := m.s.model
	switch b := r.Body.(type) {
	case *trace.Save:
		s := savedOf(r, b)
		m.item(lane{"saves and builds", "save"}, flowItem{Seq: r.Seq, Kind: "save", Begin: r.T - s.Took, End: r.T, Text: s.Label, Bad: !s.OK})
	case *trace.Request:
		q := known.RequestAt(r.Seq)
		if q == nil {
			break
		}
		rec, _ := known.ReconcileOf(q)
		if rec != nil && q.Actor.Who.Own() {
			if rec.Seq == 0 || rec.Source == "inferred" {
				keys = append(keys, rec)
			}
			break
		}
		if !isShown(q) {
			break
		}
		kind := "read"
		if q.Writes() {
			kind = "write"
		}
		m.request(lane{actorName(q.Actor), "actor"}, kind, q)
	case *trace.Event:
		a := known.Actor(b.Actor)
		o := known.Object(b.Object)
		if !a.Who.Own() || o == nil {
			break
		}
		m.item(lane{"watch of " + model.GroupResource(o.Resource()), "watch"}, flowItem{Seq: r.Seq, Kind: "delivery", Begin: r.T, End: r.T, text: func() string { return m.s.describe(r) }})
		if v := o.At(b.RV); v != nil {
			m.edge(v.Seq, r.Seq, trace.Certain)
		}
	case *trace.Reconcile:
		if rec := known.Reconcile(b.ID); rec != nil && b.State == "begin" {
			keys = append(keys, rec)
		}
	}
	return keys
}

// keys adds the reconciles, for as many keys as there are lanes: those with most come first.
func (m *flowMaker) keys(all []*model.Reconcile) {
	count := map[model.Key]int{}
	seen := map[*model.Reconcile]bool{}
	for _, r := range all {
		if !seen[r] {
			seen[r] = true
			count[model.Key{Controller: r.Controller, Key: r.Key}]++
		}
	}
	m.f.Keys = len(count)
	most := slices.SortedFunc(maps.Keys(count), func(a, b model.Key) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Controller, b.Controller))
	})
	shown := map[model.Key]bool{}
	for _, k := range most[:min(len(most), maxKeyLanes)] {
		shown[k] = true
	}
	for _, r := range all {
		if seen[r] && shown[model.Key{Controller: r.Controller, Key: r.Key}] {
			seen[r] = false // once
			m.reconcile(r)
		}
	}
}

func (m *flowMaker) reconcile(r *model.Reconcile) {
	l := lane{r.Key, "key"}
	if r.Controller != "" {
		l.Name = r.Controller + " " + r.Key
	}
	if r.Waited > 0 {
		m.item(l, flowItem{Seq: r.Seq, Kind: "wait", Begin: r.Began - r.Waited, End: r.Began, Text: "waited " + model.Duration(r.Waited)})
	}
	m.item(l, flowItem{Seq: r.Seq, Kind: "reconcile", Begin: r.Began, End: cmp.Or(r.Ended, m.f.To), text: func() string { return m.s.reconcileItem(r).Text }, Bad: r.Failed()})
	for _, c := range m.s.model.Causes(r) {
		switch {
		case c.Delivery != nil:
			m.edge(c.Delivery.Seq, r.Seq, c.Certainty)
		case c.Version != nil:
			m.edge(c.Version.Seq, r.Seq, c.Certainty)
		}
	}
	sent, link := m.s.model.SentIn(r)
	for _, q := range sent {
		m.request(l, "request", q)
		m.edge(r.Seq, q.Seq, link.Certainty)
	}
}

// request adds a request, and the version that it wrote.
func (m *flowMaker) request(l lane, kind string, q *model.Request) {
	m.item(l, flowItem{Seq: q.Seq, Kind: kind, Begin: q.Began, End: q.T, text: func() string { return requestItem(q).Text }, Bad: !q.OK()})
	if v := q.Version; v != nil {
		m.item(l, flowItem{Seq: v.Seq, Kind: "version", Begin: v.T, End: v.T, text: func() string { return versionItem(v).Text }})
		m.edge(q.Seq, v.Seq, v.Writer.Certainty)
	}
}

// order puts the lanes in the order in which things happen: saves, actors, watches, keys.
func (m *flowMaker) order() {
	kinds := map[string]int{"save": 0, "actor": 1, "watch": 2, "key": 3}
	before := slices.Clone(m.f.Lanes)
	slices.SortStableFunc(m.f.Lanes, func(a, b lane) int { return cmp.Compare(kinds[a.Kind], kinds[b.Kind]) })
	for i, l := range m.f.Lanes {
		m.lanes[l] = i
	}
	for i := range m.f.Items {
		m.f.Items[i].Lane = m.lanes[before[m.f.Items[i].Lane]]
	}
}
