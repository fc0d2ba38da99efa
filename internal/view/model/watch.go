// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"maps"
	"slices"

	"github.com/crdctl/crdctl/internal/trace"
)

// Watch is a watch of one client.
type Watch struct {
	*trace.Watch // as it was recorded last

	Actor     *Actor
	Resource  *trace.Resource
	Opened    int64 // T; 0 if that was not seen
	Synced    bool
	Ended     int64 // T; 0 while it is open
	Seq       int64 // of its first record
	Delivered int64 // events that were added
}

func (m *Model) addWatch(r trace.Record, b *trace.Watch) {
	w := m.watches[b.ID]
	if w == nil {
		w = &Watch{Actor: m.Actor(b.Actor), Resource: m.Resource(b.Resource), Seq: r.Seq}
		m.watches[b.ID] = w
		if m.watching[w.Actor.Who] == nil {
			m.watching[w.Actor.Who] = map[string]int{}
		}
		m.watching[w.Actor.Who][GroupResource(w.Resource)]++
	}
	w.Watch = b
	switch b.State {
	case "open":
		w.Opened = r.T
	case "synced":
		w.Synced = true
	case "end":
		w.Ended = r.T
	}
}

func (m *Model) addEvent(r trace.Record, b *trace.Event) {
	if w := m.watches[b.Watch]; w != nil {
		w.Delivered++
	}
	if o := m.objects[b.Object]; o != nil {
		d := &Delivery{Event: b, Seq: r.Seq, T: r.T}
		o.Deliveries = inTime(o.Deliveries, d)
		if o.handed == nil {
			o.handed = map[uint64][]*Delivery{}
		}
		o.handed[b.RV] = inTime(o.handed[b.RV], d)
	}
}

// inTime inserts a delivery by its time: a frame is recorded some time after it was sent.
func inTime(all []*Delivery, d *Delivery) []*Delivery {
	i := len(all)
	for i > 0 && all[i-1].T > d.T {
		i--
	}
	return slices.Insert(all, i, d)
}

// Watch returns a watch, or nil.
func (m *Model) Watch(id string) *Watch { return m.watches[id] }

// Watches returns the watches that are open, and those whose end is held, by Seq.
func (m *Model) Watches() []*Watch {
	return slices.SortedFunc(maps.Values(m.watches), func(a, b *Watch) int { return cmp.Compare(a.Seq, b.Seq) })
}

// IsWatching reports whether an actor has watched a resource, as GroupResource names it, at any time so far.
func (m *Model) IsWatching(w *Who, resource string) bool { return m.watching[w][resource] > 0 }

// Sees reports whether an actor certainly watches an object: with a watch that no selector restricts, or one that has delivered it.
func (m *Model) Sees(w *Who, o *Object) bool {
	return m.watchesAll(w, o) || slices.ContainsFunc(o.Deliveries, func(d *Delivery) bool { return m.Actor(d.Actor).Who == w })
}

// watchesAll reports whether an actor has a watch that is certainly for an object: one without a selector, of its namespace or of all.
func (m *Model) watchesAll(w *Who, o *Object) bool {
	for _, watch := range m.watches {
		if watch.Actor.Who == w && GroupResource(watch.Resource) == GroupResource(o.resource) && watch.Labels == "" && watch.Fields == "" &&
			(watch.Namespace == "" || watch.Namespace == o.Namespace) {
			return true
		}
	}
	return false
}
