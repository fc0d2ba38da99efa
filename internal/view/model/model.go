// SPDX-License-Identifier: Apache-2.0

// Package model is an index of the records of a recording: objects with their versions, requests, watches with what they
// delivered, reconciles, log lines and builds, and the links between them, each with its certainty and its proof. It is
// fed record by record, in the order of Seq, live or from a file, and it forgets what the caller no longer holds.
//
// It does no I/O, has no clock and judges nothing: package finding does. It is not safe for concurrent use.
package model

import (
	"iter"
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/crdctl/crdctl/internal/trace"
)

// Model is the index. New makes one.
type Model struct {
	header    *trace.Header
	now       int64
	held      []trace.Record // by Seq
	sizes     []int32        // of their lines
	bytes     int64          // sum of sizes
	spans     spans          // of held
	actors    map[trace.ActorID]*Actor
	who       map[Who]*Who
	otherWho  Who // of all actors that are too many
	resources map[trace.ResourceID]*trace.Resource
	objects   map[trace.ObjectID]*Object
	ordered   []*Object // by ID; nil if objects have changed
	byUID     map[string]*Object
	byName    map[name]*Object

	requests          map[string]*Request
	prefixes          map[string][]*Request // by the ID of a reconcile, with which Request.ID starts
	recent            []*Request            // by Seq
	awaited           map[string]*Version   // by Request.ID of a request that was not added yet
	watches           map[string]*Watch
	watching          map[*Who]map[string]int // resources that an actor has open watches of, or had
	reconciles        map[string]*Reconcile
	keys              map[Key][]*Reconcile       // by begin
	controllers       map[string]bool            // that have reconciles
	keyed             map[string]*trace.Resource // of the keys of a controller
	visible           map[trace.Class]trace.Certainty
	inferred          map[inferredKey]*Reconcile
	inferredN         int
	waiting           []*Request // to be inferred, by begin
	logs              []*Log
	controllerRuntime bool                      // see ControllerRuntime
	logsOf            map[string][]*Log         // by reconcile
	parts             map[string][]trace.Record // decisions and hook calls, by reconcile
	owned             map[string][]*Object      // by UID of an owner that the newest version names
	builds            []build
	defined           int64 // bytes of the definitions that are held
	undefined         int64
}

// What is held of definitions is bounded for files that crdctl did not write, and for clusters that are too large.
const (
	maxActors    = 10_000 // and resources, and builds
	maxObjects   = 500_000
	maxDefsBytes = 128 << 20 // of their lines
)

type name struct {
	resource      string // GROUP/PLURAL
	namespace, is string
}

// New returns an empty index.
func New() *Model {
	return &Model{
		actors: map[trace.ActorID]*Actor{}, who: map[Who]*Who{}, otherWho: Who{Class: trace.ClassOther, Name: "another client"}, resources: map[trace.ResourceID]*trace.Resource{},
		objects: map[trace.ObjectID]*Object{}, byUID: map[string]*Object{}, byName: map[name]*Object{},
		requests: map[string]*Request{}, prefixes: map[string][]*Request{}, awaited: map[string]*Version{},
		watches: map[string]*Watch{}, watching: map[*Who]map[string]int{},
		reconciles: map[string]*Reconcile{}, keys: map[Key][]*Reconcile{}, controllers: map[string]bool{}, keyed: map[string]*trace.Resource{}, visible: map[trace.Class]trace.Certainty{},
		inferred: map[inferredKey]*Reconcile{}, logsOf: map[string][]*Log{}, parts: map[string][]trace.Record{}, owned: map[string][]*Object{},
	}
}

// Add takes the next record. A record whose Seq was added before, as after a reconnect, is ignored, except for the
// header and definitions.
func (m *Model) Add(r trace.Record) {
	m.now = max(m.now, r.T)
	switch b := r.Body.(type) {
	case *trace.Header:
		m.header = b
		return
	case *trace.Def:
		m.define(r, b)
		return
	case *trace.Index, *trace.Unknown:
		return
	}
	if n := len(m.held); n > 0 && r.Seq <= m.held[n-1].Seq {
		return
	}
	size := int32(min(len(r.Raw), math.MaxInt32))
	r.Raw = nil // its fields are enough
	m.held, m.sizes = append(m.held, r), append(m.sizes, size)
	m.bytes += int64(size)
	m.spans.add(r.T)
	switch b := r.Body.(type) {
	case *trace.Request:
		m.addRequest(r, b)
	case *trace.Version:
		m.addVersion(r, b)
	case *trace.Watch:
		m.addWatch(r, b)
	case *trace.Event:
		m.addEvent(r, b)
	case *trace.Reconcile:
		m.addReconcile(r, b)
	case *trace.Queue:
		m.addQueue(r, b)
	case *trace.Log:
		m.addLog(r, b)
	case *trace.Decision:
		m.parts[b.Reconcile] = append(m.parts[b.Reconcile], r)
	case *trace.Hook:
		if b.Reconcile != "" {
			m.parts[b.Reconcile] = append(m.parts[b.Reconcile], r)
		}
	case *trace.Save:
		if !slices.ContainsFunc(b.Steps, func(s trace.Step) bool { return !s.OK }) { // else the build before runs on
			m.addBuild(b.Build, r.T)
		}
	}
	m.inferUntil(m.now - settle)
}

// End is for a recording that ended: it infers what it would otherwise wait with for records that may still come.
func (m *Model) End() { m.inferUntil(m.now) }

// Undefined is how many definitions were too many, so that what refers to them is not linked.
func (m *Model) Undefined() int64 { return m.undefined }

func (m *Model) define(r trace.Record, d *trace.Def) {
	known, n := false, 0
	switch {
	case d.Actor != nil:
		known, n = m.actors[d.Actor.ID] != nil, maxActors-len(m.actors)
	case d.Resource != nil:
		known, n = m.resources[d.Resource.ID] != nil, maxActors-len(m.resources)
	case d.Object != nil:
		known, n = m.objects[d.Object.ID] != nil, maxObjects-len(m.objects)
	default: // of a kind that a newer crdctl defines
		return
	}
	size := int64(len(r.Raw))
	switch {
	case known && d.Object != nil:
		return
	case !known && (n <= 0 || m.defined+size > maxDefsBytes):
		m.undefined++
		return
	case !known:
		m.defined += size
	}
	switch {
	case d.Actor != nil:
		m.defineActor(r, d.Actor)
	case d.Resource != nil:
		m.resources[d.Resource.ID] = d.Resource
	case d.Object != nil:
		m.defineObject(d.Object, size)
	}
}

// Forget drops the records before a Seq. What is defined, and the newest version of each object that exists, stay.
func (m *Model) Forget(before int64) {
	n := sort.Search(len(m.held), func(i int) bool { return m.held[i].Seq >= before })
	for _, r := range m.held[:n] {
		switch b := r.Body.(type) {
		case *trace.Request:
			m.forgetRequest(r.Seq)
		case *trace.Version:
			m.forgetVersions(b.Object, before)
		case *trace.Event:
			m.forgetDeliveries(b.Object, before)
		case *trace.Watch:
			if b.State == "end" {
				delete(m.watches, b.ID)
			}
		case *trace.Reconcile:
			m.forgetReconcile(b)
		case *trace.Log:
			m.forgetLog(b, before)
		case *trace.Decision:
			delete(m.parts, b.Reconcile)
		case *trace.Hook:
			delete(m.parts, b.Reconcile)
		}
	}
	m.inferUntil(m.now - settle)
	for _, size := range m.sizes[:n] {
		m.bytes -= int64(size)
	}
	m.held, m.sizes = keepTail(m.held, n), keepTail(m.sizes, n)
	m.spans.drop(n)
	m.forgetInferred(before)
}

// keepTail drops the first n elements. If these are most, the others move to their place, and what is appended next makes no garbage; otherwise the
// array shrinks with the next append that does not fit.
func keepTail[T any](s []T, n int) []T {
	if n > 0 && n >= len(s)-n {
		rest := copy(s, s[n:])
		clear(s[rest:])
		return s[:rest]
	}
	clear(s[:n])
	return s[n:]
}

// Header is the header of the recording, or nil if it was not added.
func (m *Model) Header() *trace.Header { return m.header }

// Now is the greatest T that was added.
func (m *Model) Now() int64 { return m.now }

// Len is the number of records that are held.
func (m *Model) Len() int { return len(m.held) }

// Bytes is the length of the lines of the records that are held. Those that were made here have none.
func (m *Model) Bytes() int64 { return m.bytes }

// First is the Seq of the oldest record that is held, or 0.
func (m *Model) First() int64 {
	if len(m.held) == 0 {
		return 0
	}
	return m.held[0].Seq
}

// At returns the record at an index from 0 to Len.
func (m *Model) At(i int) trace.Record { return m.held[i] }

// Held returns the records that are held, by Seq. The caller must not change the slice.
func (m *Model) Held() []trace.Record { return m.held }

// Record returns a record that is held.
func (m *Model) Record(seq int64) (trace.Record, bool) {
	i := sort.Search(len(m.held), func(i int) bool { return m.held[i].Seq >= seq })
	if i == len(m.held) || m.held[i].Seq != seq {
		return trace.Record{}, false
	}
	return m.held[i], true
}

// Records yields the records that are held with from <= T <= to, in the order of Seq.
func (m *Model) Records(from, to int64) iter.Seq[trace.Record] {
	return func(yield func(trace.Record) bool) {
		for first, last := range m.spans.within(from, to, len(m.held)) {
			for _, r := range m.held[first:last] {
				if r.T >= from && r.T <= to && !yield(r) {
					return
				}
			}
		}
	}
}

// Resource returns a resource, or one without a name.
func (m *Model) Resource(id trace.ResourceID) *trace.Resource {
	if r := m.resources[id]; r != nil {
		return r
	}
	return &trace.Resource{ID: id}
}

// Resources yields all resources.
func (m *Model) Resources() iter.Seq[*trace.Resource] { return values(m.resources) }

func values[K int32Kind, V any](of map[K]V) iter.Seq[V] {
	ids := slices.Sorted(maps.Keys(of))
	return func(yield func(V) bool) {
		for _, id := range ids {
			if !yield(of[id]) {
				return
			}
		}
	}
}

type int32Kind interface{ ~int32 }

// Decisions returns what a reconcile of the built-in loop decided, in order.
func (m *Model) Decisions(reconcile string) (all []*trace.Decision) {
	for _, r := range m.parts[reconcile] {
		if d, ok := r.Body.(*trace.Decision); ok {
			all = append(all, d)
		}
	}
	return all
}

// Hooks returns the calls of the hook in a reconcile, as records.
func (m *Model) Hooks(reconcile string) (all []trace.Record) {
	for _, r := range m.parts[reconcile] {
		if _, ok := r.Body.(*trace.Hook); ok {
			all = append(all, r)
		}
	}
	return all
}
