// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"strings"
	"sync"
)

// Defs numbers actors, resources and objects, so that records refer to them by number. It is safe for concurrent use.
type Defs struct {
	define func(*Def) // adds the definition to the recording, before any record that uses it

	mu        sync.Mutex
	actors    map[Actor]ActorID
	resources map[Resource]ResourceID
	kinds     map[string]bool      // in lower case
	objects   map[string]*interned // by UID
	byID      map[ObjectID]*interned
	last      ObjectID
	epoch     int // see forget
}

type interned struct {
	id    ObjectID
	uid   string
	epoch int // when it was used last
}

// NewDefs returns an empty set that hands each new definition to define, in order.
func NewDefs(define func(*Def)) *Defs {
	return &Defs{define: define, actors: map[Actor]ActorID{}, resources: map[Resource]ResourceID{}, kinds: map[string]bool{}, objects: map[string]*interned{}, byID: map[ObjectID]*interned{}}
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
		d.kinds[strings.ToLower(r.Kind)] = true
		r.ID = id
		d.define(&Def{Resource: &r})
	}
	return id
}

// IsKind reports whether a resource that was numbered has a kind with this name in lower case.
func (d *Defs) IsKind(lower string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.kinds[lower]
}

// Object returns the number of the object with o's UID, which must not be empty. The other fields count on first use
// only; ID is ignored. The number is for records that are added soon: an object that no record in memory is about may get
// another one later.
func (d *Defs) Object(o Object) ObjectID {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.objects[o.UID]
	if known == nil {
		d.last++
		known = &interned{id: d.last, uid: o.UID}
		d.objects[o.UID], d.byID[known.id] = known, known
		o.ID = known.id
		d.define(&Def{Object: &o})
	}
	known.epoch = d.epoch
	return known.id
}

// Lookup returns the number of the object with a UID, or 0.
func (d *Defs) Lookup(uid string) ObjectID {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.objects[uid]
	if known == nil {
		return 0
	}
	known.epoch = d.epoch
	return known.id
}

// use notes that a record is about an object.
func (d *Defs) use(id ObjectID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.byID[id]; known != nil {
		known.epoch = d.epoch
	}
}

// forget begins an epoch, and forgets the objects that were not used in the last one and are not among keep.
func (d *Defs) forget(keep map[any]bool) (forgotten map[ObjectID]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	forgotten = map[ObjectID]bool{}
	for id, known := range d.byID {
		if known.epoch < d.epoch && !keep[id] {
			forgotten[id] = true
			delete(d.byID, id)
			delete(d.objects, known.uid)
		}
	}
	d.epoch++
	return forgotten
}
