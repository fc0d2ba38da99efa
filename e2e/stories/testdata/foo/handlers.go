package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"example.com/foo/pkg/apis/samplecontroller/v1alpha1"
)

// changes hands each object that was added, deleted or changed to a function. A resync hands out all objects again;
// those of an equal resourceVersion are passed over.
func changes(take func(obj any)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: take,
		UpdateFunc: func(old, changed any) {
			before, err := meta.Accessor(old)
			after, changedErr := meta.Accessor(changed)
			if err == nil && changedErr == nil && before.GetResourceVersion() == after.GetResourceVersion() {
				klog.V(4).InfoS("Passed over on resync", "kind", fmt.Sprintf("%T", changed), "object", klog.KObj(after))
				return
			}
			take(changed)
		},
		DeleteFunc: take,
	}
}

func (c *controller) enqueue(obj any) {
	key, err := cache.DeletionHandlingObjectToName(obj)
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	c.queue.Add(key)
}

// enqueueOwner puts the Foo that controls an object into the queue. A delete that the watch missed comes as a tombstone,
// with the object's last known state in it. An object that no Foo controls is no business of ours.
func (c *controller) enqueueOwner(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		klog.V(4).InfoS("Took the object out of its tombstone", "key", tombstone.Key)
		obj = tombstone.Obj
	}
	object, err := meta.Accessor(obj)
	if err != nil {
		utilruntime.HandleError(fmt.Errorf("find the owner of %T: %w", obj, err))
		return
	}
	owner := metav1.GetControllerOf(object)
	if owner == nil || owner.Kind != fooKind.Kind || owner.APIVersion != fooKind.GroupVersion().String() {
		klog.V(4).InfoS("Passed over an object that no Foo controls", "object", klog.KObj(object))
		return
	}
	foo, err := c.foos.Foos(object.GetNamespace()).Get(owner.Name)
	if err != nil || foo.UID != owner.UID {
		klog.V(4).InfoS("Passed over an orphan", "object", klog.KObj(object), "foo", owner.Name)
		return
	}
	c.enqueue(foo)
}

// fooKind is what owner references call a Foo.
var fooKind = v1alpha1.SchemeGroupVersion.WithKind("Foo")
