// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"context"
	"iter"
	"time"
)

// Copy adds what the recorder of an API server in another process records from now on to a recording of this one, until that ends or the context
// does, which still copies what there is then. Actors are as rename returns them. Kinds that no API server records are left out.
func Copy(ctx context.Context, to Sink, from Remote, rename func(Actor) Actor) error {
	c := copier{to: to, rename: rename, actors: map[ActorID]Actor{}, resources: map[ResourceID]ResourceID{}}
	asked := to.Now()
	from.Follow = true
	from.Now = func(now int64) { c.offset = (asked+to.Now())/2 - now } // on average it was read in the middle
	if err := c.all(from.Records(ctx, 0)); err != nil || ctx.Err() == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyRest)
	defer cancel()
	from.Follow, from.Now = false, nil
	return c.all(from.Records(ctx, c.last)) // what came since it was last asked
}

// copyRest bounds how long the last records are waited for.
const copyRest = 5 * time.Second

func (c *copier) all(records iter.Seq2[Record, error]) error {
	for rec, err := range records {
		if err != nil {
			return err
		}
		c.last = max(c.last, rec.Seq)
		c.add(rec)
	}
	return nil
}

// maxCopied is how many objects of those that were used last are known at least; twice as many are at most.
const maxCopied = 100_000

// copied has objects by the numbers that the other recording has for them, those that were used last.
type copied struct{ recent, before map[ObjectID]Object }

func (c *copied) get(id ObjectID) (Object, bool) {
	o, ok := c.recent[id]
	if !ok {
		if o, ok = c.before[id]; ok {
			c.set(id, o)
		}
	}
	return o, ok
}

func (c *copied) set(id ObjectID, o Object) {
	if len(c.recent) >= maxCopied || c.recent == nil {
		c.recent, c.before = map[ObjectID]Object{}, c.recent
	}
	c.recent[id] = o
}

type copier struct {
	to        Sink
	rename    func(Actor) Actor
	offset    int64 // of the clocks
	last      int64 // seq
	actors    map[ActorID]Actor
	resources map[ResourceID]ResourceID
	objects   copied
}

func (c *copier) actor(id ActorID) ActorID {
	if a, ok := c.actors[id]; ok {
		return c.to.Defs().Actor(c.rename(a))
	}
	return 0
}

// object is defined when it is used: those that are no longer used by either recording are forgotten by both.
func (c *copier) object(id ObjectID) ObjectID {
	if o, ok := c.objects.get(id); ok {
		return c.to.Defs().Object(o)
	}
	return 0
}

func (c *copier) add(rec Record) {
	offset := c.offset
	if d, ok := rec.Body.(*Def); ok {
		c.define(d)
		return
	}
	t := min(rec.T+offset, c.to.Now()) // how the clocks differ is not known exactly
	if t < 0 {
		return // of before
	}
	switch b := rec.Body.(type) {
	case *Request:
		b.Actor, b.Resource, b.Object, b.Began = c.actor(b.Actor), c.resources[b.Resource], c.object(b.Object), min(b.Began+offset, t)
	case *Version:
		b.Object = c.object(b.Object)
	case *Watch:
		b.Actor, b.Resource = c.actor(b.Actor), c.resources[b.Resource]
	case *Event:
		b.Actor, b.Object = c.actor(b.Actor), c.object(b.Object)
		if b.Began != 0 {
			b.Began = min(b.Began+offset, t)
		}
	case *Admission:
		b.Resource, b.Began = c.resources[b.Resource], min(b.Began+offset, t)
	case *KubeEvent:
		b.Actor, b.Object = c.actor(b.Actor), c.object(b.Object)
	case *Gap:
		b.From, b.To = max(0, b.From+offset), b.To+offset
	default:
		return
	}
	c.to.AddAt(t, rec.Body)
}

func (c *copier) define(d *Def) {
	switch {
	case d.Actor != nil:
		c.actors[d.Actor.ID] = *d.Actor
	case d.Resource != nil:
		c.resources[d.Resource.ID] = c.to.Defs().Resource(*d.Resource)
	case d.Object != nil:
		o := *d.Object
		o.Resource = c.resources[o.Resource]
		c.objects.set(d.Object.ID, o)
	}
}
