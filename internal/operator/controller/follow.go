// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/object"
)

// followKey is what two reconcilers have in common that follow the same. A predicate is of one kind of use: children are
// those of this loop's kinds.
type followKey struct {
	resource  schema.GroupVersionResource
	namespace string
	keep      object.Keep
	owned     bool
}

// follow returns the feeds of a source, which run as long as the loop.
func (l *loop) follow(s informer.Source, h informer.Handler) informer.Set {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all informer.Set
	for _, namespace := range l.namespaces(s.Namespaced) {
		s.Namespace = namespace
		key := followKey{resource: s.Resource, namespace: s.Namespace, keep: s.Keep, owned: s.Owned != nil}
		f, known := l.followed[key]
		if !known {
			if s.Owned != nil {
				s.Owned = l.owns
			}
			f = informer.New(l.client, s, s.Owned != nil, l.server, l.Log.With("kind", s.Kind))
			f.Record(l.Trace)
			l.followed[key] = f
			if l.begun {
				l.parts.Go(func() { f.Run(l.ctx) })
			}
		}
		f.Handle(h)
		all = append(all, f)
	}
	return all
}

// begin runs what is followed. Not before all controllers are made: handlers look into their feeds.
func (l *loop) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun = true
	for _, f := range l.followed {
		l.parts.Go(func() { f.Run(l.ctx) })
	}
}

func (l *loop) hasBegun() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun
}

// owns tells that the controller of an object is of a kind that this loop works on, in whatever version.
func (l *loop) owns(o object.Owner) bool {
	group, err := schema.ParseGroupVersion(o.APIVersion)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(l.Kinds, func(k Kind) bool { return k.Kind == o.Kind && k.Resource.Group == group.Group })
}

// Ready implements State. What a reconciler came to follow later is not looked at: where one object's hook asks for a kind that may
// not be read, the others are reconciled all the same.
func (l *loop) Ready() error {
	var waiting []error
	asked := map[*informer.Informer]bool{}
	for _, c := range l.controllers {
		for _, f := range c.required() {
			select {
			case <-f.Synced():
			default:
				if !asked[f] {
					waiting = append(waiting, fmt.Errorf("%s are not known yet", f.Source().Name()))
				}
			}
			asked[f] = true
		}
	}
	if len(waiting) == 0 && l.server.Down() {
		return errors.New("the API server does not answer")
	}
	return errors.Join(waiting...)
}

func (l *loop) Absent() bool {
	for _, c := range l.controllers {
		if slices.ContainsFunc(c.feeds, (*informer.Informer).Absent) {
			return true
		}
	}
	return false
}

func (l *loop) Sizes() map[string]int {
	sizes := map[string]int{}
	l.each(func(f *informer.Informer) { sizes[f.Source().Name()] += f.Size() })
	return sizes
}

func (l *loop) Waiting() (keys int) {
	for _, c := range l.controllers {
		keys += c.queue.Len()
	}
	return keys
}

func (l *loop) EnqueueAll(why string, which func(namespace, name string) bool) {
	for _, c := range l.controllers {
		c.enqueueAll(why, which)
	}
}

func (l *loop) each(do func(*informer.Informer)) {
	for _, c := range l.controllers {
		for _, f := range c.feeds {
			do(f)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.followed {
		do(f)
	}
}
