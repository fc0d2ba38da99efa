// SPDX-License-Identifier: Apache-2.0

package trace

import "sync"

// Defs numbers actors, resources and objects, so that records refer to them by number. It is safe for concurrent use.
type Defs struct {
	define func(*Def) // adds the definition to the recording, before any record that uses it

	mu        sync.Mutex
	actors    map[Actor]ActorID
	resources map[Resource]ResourceID
	objects   map[string]ObjectID // by UID
}

// NewDefs returns an empty set that hands each new definition to define, in order.
func NewDefs(define func(*Def)) *Defs {
	return &Defs{define: define, actors: map[Actor]ActorID{}, resources: map[Resource]ResourceID{}, objects: map[string]ObjectID{}}
}

// Actor returns the number of a. Its ID is ignored.
func (d *Defs) Actor(a Actor) ActorID {
	a.ID = 0
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ok := d.actors[a]
	if !ok {
		id = ActorID(len(d.actors) + 1)
		d.actors[a] = id
		a.ID = id
		d.define(&Def{Actor: &a})
	}
	return id
}

// Resource returns the number of r. Its ID is ignored.
func (d *Defs) Resource(r Resource) ResourceID {
	r.ID = 0
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ok := d.resources[r]
	if !ok {
		id = ResourceID(len(d.resources) + 1)
		d.resources[r] = id
		r.ID = id
		d.define(&Def{Resource: &r})
	}
	return id
}

// Object returns the number of the object with o's UID, which must not be empty. The other fields count on first use
// only; ID is ignored.
func (d *Defs) Object(o Object) ObjectID {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ok := d.objects[o.UID]
	if !ok {
		id = ObjectID(len(d.objects) + 1)
		d.objects[o.UID] = id
		o.ID = id
		d.define(&Def{Object: &o})
	}
	return id
}

// Lookup returns the number of the object with a UID, or 0.
func (d *Defs) Lookup(uid string) ObjectID {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.objects[uid]
}
