// SPDX-License-Identifier: Apache-2.0

package model

import (
	"iter"
	"slices"

	"github.com/crdctl/crdctl/internal/trace"
)

// Who is an actor whatever its build and process: the controller before and after a restart is the same. Pointers to
// it can be compared.
type Who struct {
	Class trace.Class
	Name  string
}

// Own reports whether it is what the author of the project works on: the controller, or the built-in loop.
func (w *Who) Own() bool { return w.Class == trace.ClassController || w.Class == trace.ClassBuiltin }

// Actor is an actor of one build and process.
type Actor struct {
	*trace.Actor

	Who *Who
}

// whoIs returns one pointer for all actors that are too many, so that what refers to actors is bounded, too.
func (m *Model) whoIs(a *trace.Actor) *Who {
	w := Who{Class: a.Class, Name: a.Name}
	if who := m.who[w]; who != nil {
		return who
	}
	if len(m.who) >= maxActors {
		return &m.otherWho
	}
	m.who[w] = &w
	return &w
}

func (m *Model) defineActor(r trace.Record, a *trace.Actor) {
	m.actors[a.ID] = &Actor{Actor: a, Who: m.whoIs(a)}
	if a.Build > 0 {
		m.addBuild(a.Build, r.T)
	}
}

// Actor returns an actor; one that is not defined has the name "an unknown client".
func (m *Model) Actor(id trace.ActorID) *Actor {
	a := m.actors[id]
	if a == nil {
		unknown := &trace.Actor{ID: id, Name: "an unknown client", Class: trace.ClassOther}
		a = &Actor{Actor: unknown, Who: m.whoIs(unknown)}
		if len(m.actors) < maxActors {
			m.actors[id] = a
		}
	}
	return a
}

// Actors yields all actors.
func (m *Model) Actors() iter.Seq[*Actor] { return values(m.actors) }

// build is a build of the controller that ran.
type build struct {
	number int
	t      int64 // when it was known to run: the save's end, or its first request, whichever was first
}

func (m *Model) addBuild(number int, t int64) {
	if len(m.builds) < maxActors && !slices.ContainsFunc(m.builds, func(b build) bool { return b.number == number }) {
		m.builds = append(m.builds, build{number, t})
	}
}

// BuildAt returns the build that ran at a time, or 0 if that is not known.
func (m *Model) BuildAt(t int64) int {
	for _, b := range slices.Backward(m.builds) {
		if b.t <= t {
			return b.number
		}
	}
	return 0
}
