// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"fmt"

	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// process takes what the FIFO pops: it brings the store up to date and then calls the handlers, in one step, so that a
// session that ends in between cannot lose the news of a change that the store already has.
func (f *Informer) process(popped any, _ bool) error {
	deltas, ok := popped.(cache.Deltas)
	if !ok {
		return fmt.Errorf("process a %T: not a list of deltas", popped)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range deltas {
		f.log.Debug("FIFO popped", "delta", d.Type)
		switch o := d.Object.(type) {
		case cache.ReplacedAllInfo:
			f.replaceAll(o.Objects)
		case *object.Object:
			if d.Type == cache.Deleted {
				f.gone(o.Key())
			} else {
				f.changed(o)
			}
		case cache.DeletedFinalStateUnknown: // a deletion that the watch missed
			if key, err := cache.ParseObjectName(o.Key); err == nil {
				f.gone(key)
			}
		}
	}
	return nil
}

// replaceAll takes a whole list: what is not in it is gone.
func (f *Informer) replaceAll(objects []any) {
	listed := make(map[cache.ObjectName]struct{}, min(len(objects), f.store.size()))
	known := f.store.size() > 0
	for _, each := range objects {
		if o, ok := each.(*object.Object); ok {
			f.changed(o)
			if known {
				listed[o.Key()] = struct{}{}
			}
		}
	}
	if !known {
		return
	}
	for _, key := range f.store.keys() {
		if _, ok := listed[key]; !ok {
			f.gone(key)
		}
	}
}

func (f *Informer) changed(o *object.Object) {
	if before := f.store.get(o.Key()); before != nil && before.SameVersion(o) {
		f.trace.Skip(o, "same version") // a second list after an interruption
		return
	}
	f.tell(f.store.put(o), o)
}

// gone is also called for objects that were never wanted.
func (f *Informer) gone(key cache.ObjectName) {
	if before := f.store.drop(key); before != nil {
		f.tell(before, nil)
	}
}

func (f *Informer) tell(before, after *object.Object) {
	for _, h := range f.handlers {
		h(before, after)
	}
}

// forgetAll handles every object as deleted: with the CRD, its objects are gone.
func (f *Informer) forgetAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range f.store.keys() {
		f.gone(key)
	}
}
