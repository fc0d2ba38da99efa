// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// Set is one kind in several namespaces, each with a feed of its own: who may read some namespaces only cannot ask for all.
type Set []*Informer

// Get returns the last known state of an object, nil if there is none.
func (s Set) Get(key cache.ObjectName) *object.Object {
	for _, f := range s {
		if o := f.Get(key); o != nil {
			return o
		}
	}
	return nil
}

// OwnedBy returns the objects that this owner controls.
func (s Set) OwnedBy(owner types.UID) []*object.Object {
	var all []*object.Object
	for _, f := range s {
		all = append(all, f.OwnedBy(owner)...)
	}
	return all
}

// Size is the number of objects.
func (s Set) Size() int {
	size := 0
	for _, f := range s {
		size += f.Size()
	}
	return size
}

// Evict is Feed.Evict, for the feed that has the object.
func (s Set) Evict(o *object.Object) {
	for _, f := range s {
		f.Evict(o)
	}
}

// Synced tells that all objects are known.
func (s Set) Synced() bool {
	for _, f := range s {
		select {
		case <-f.Synced():
		default:
			return false
		}
	}
	return true
}
