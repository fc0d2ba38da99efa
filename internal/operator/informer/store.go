// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// store holds the last known state of a kind's objects. client-go's has a key of its own for each object, in a text of
// its own, and boxes the objects: for a bare object that would be half of the memory.
type store struct {
	mu      sync.RWMutex
	objects map[cache.ObjectName]*object.Object
	// owned is nil where no reconciler asks for the objects of an owner.
	owned map[types.UID][]*object.Object
}

func newStore(byOwner bool) *store {
	s := &store{objects: map[cache.ObjectName]*object.Object{}}
	if byOwner {
		s.owned = map[types.UID][]*object.Object{}
	}
	return s
}

func (s *store) get(key cache.ObjectName) *object.Object {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.objects[key]
}

func (s *store) size() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.objects)
}

// keys are those of all objects, at this moment.
func (s *store) keys() []cache.ObjectName {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.AppendSeq(make([]cache.ObjectName, 0, len(s.objects)), maps.Keys(s.objects))
}

func (s *store) all() []*object.Object {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.AppendSeq(make([]*object.Object, 0, len(s.objects)), maps.Values(s.objects))
}

func (s *store) ownedBy(owner types.UID) []*object.Object {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append([]*object.Object(nil), s.owned[owner]...)
}

// put stores the new state and returns the old one, nil if there was none.
func (s *store) put(o *object.Object) (before *object.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set(o)
}

// replace puts o where old is, unless something newer has come meanwhile.
func (s *store) replace(old, o *object.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects[old.Key()] == old {
		s.set(o)
	}
}

func (s *store) set(o *object.Object) (before *object.Object) {
	key := o.Key()
	before = s.objects[key]
	if before != nil {
		s.disown(before)
		delete(s.objects, key) // the key points into the old object's text, and would keep it
	}
	s.objects[key] = o
	if owner := o.Owner(); s.owned != nil && owner != "" {
		s.owned[owner] = append(s.owned[owner], o)
	}
	return before
}

// drop forgets an object and returns its last state, nil if it was not known.
func (s *store) drop(key cache.ObjectName) (before *object.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.objects[key]
	if before != nil {
		s.disown(before)
		delete(s.objects, key)
	}
	return before
}

func (s *store) disown(o *object.Object) {
	owner := o.Owner()
	if s.owned == nil || owner == "" {
		return
	}
	siblings := s.owned[owner]
	for i, sibling := range siblings {
		if sibling == o {
			siblings[i] = siblings[len(siblings)-1]
			siblings[len(siblings)-1] = nil
			siblings = siblings[:len(siblings)-1]
			break
		}
	}
	if len(siblings) == 0 {
		delete(s.owned, owner)
		return
	}
	s.owned[siblings[0].Owner()] = siblings // the key points into an object's text, and would keep that of o
}
