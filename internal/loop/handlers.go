package loop

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// process takes what the FIFO pops: it brings the store up to date and then calls the handler, in one step, so that a
// session that ends in between cannot lose the news of a change that the store already has.
func (f *feed) process(popped any, _ bool) error {
	deltas, ok := popped.(cache.Deltas)
	if !ok {
		return fmt.Errorf("process a %T: not a list of deltas", popped)
	}
	for _, d := range deltas {
		f.log.Debug("FIFO popped", "delta", d.Type)
		if err := f.apply(d); err != nil {
			return err
		}
	}
	return nil
}

func (f *feed) apply(d cache.Delta) error {
	if d.Type == cache.Deleted {
		if err := f.store.Delete(d.Object); err != nil {
			return err
		}
		f.onDelete(d.Object)
		return nil
	}
	old, known, err := f.store.Get(d.Object)
	if err != nil {
		return err
	}
	if known && sameVersion(old, d.Object) {
		return nil // a resync, or a second list after an interruption
	}
	if err := f.store.Update(d.Object); err != nil {
		return err
	}
	f.onChange(d.Object)
	return nil
}

// sameVersion also compares identity: after a delete and re-create against a new, empty server an equal
// resourceVersion means nothing.
func sameVersion(a, b any) bool {
	before, ok := a.(metav1.Object)
	if !ok {
		return false
	}
	after, ok := b.(metav1.Object)
	return ok && before.GetResourceVersion() == after.GetResourceVersion() && before.GetUID() == after.GetUID()
}

func (f *feed) onChange(object any) {
	key, err := cache.ObjectToName(object)
	if err != nil {
		f.log.Warn(msgKeyDropped, "err", err)
		return
	}
	f.log.Debug("Handler queues", "key", key)
	f.enqueue(key)
}

// onDelete also takes a tombstone: cache.DeletedFinalStateUnknown, which stands for a deletion that the watch missed.
func (f *feed) onDelete(object any) {
	key, err := cache.DeletionHandlingObjectToName(object)
	if err != nil {
		f.log.Warn(msgKeyDropped, "err", err)
		return
	}
	f.log.Debug("Handler queues", "key", key)
	f.enqueue(key)
}

// forgetAll handles every object as deleted: with the CRD, its objects are gone.
func (f *feed) forgetAll() {
	for _, key := range f.store.ListKeys() {
		object, exists, err := f.store.GetByKey(key)
		if err != nil || !exists {
			continue
		}
		tombstone := cache.DeletedFinalStateUnknown{Key: key, Obj: object}
		if err := f.store.Delete(tombstone); err == nil {
			f.onDelete(tombstone)
		}
	}
}
