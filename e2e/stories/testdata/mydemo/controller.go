package main

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	crddemov1 "example.com/mydemo/pkg/apis/crddemo/v1"
	informers "example.com/mydemo/pkg/client/informers/externalversions/crddemo/v1"
	listers "example.com/mydemo/pkg/client/listers/crddemo/v1"
)

// controller says what becomes of each Mydemo, in its log and in events.
type controller struct {
	demos    listers.MydemoLister
	synced   cache.InformerSynced
	queue    workqueue.TypedRateLimitingInterface[cache.ObjectName]
	recorder record.EventRecorder
}

func newController(informer informers.MydemoInformer, recorder record.EventRecorder) (*controller, error) {
	c := &controller{
		demos:    informer.Lister(),
		synced:   informer.Informer().HasSynced,
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
		recorder: recorder,
	}
	_, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: c.enqueue,
		UpdateFunc: func(old, changed any) {
			if old.(*crddemov1.Mydemo).ResourceVersion != changed.(*crddemov1.Mydemo).ResourceVersion {
				c.enqueue(changed)
			}
		},
		DeleteFunc: c.enqueue,
	})
	return c, err
}

func (c *controller) enqueue(obj any) {
	key, err := cache.DeletionHandlingObjectToName(obj)
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	c.queue.Add(key)
}

// run works until the context ends, and returns when no worker is at work any more. As long as the CRD is missing, the
// informer asks for it again and again, and run waits.
func (c *controller) run(ctx context.Context, workers int) {
	logger := klog.FromContext(ctx)
	logger.Info("Waiting for the cache to sync")
	var running sync.WaitGroup
	if cache.WaitForCacheSync(ctx.Done(), c.synced) {
		for range workers {
			running.Go(func() { c.work(ctx) })
		}
		logger.Info("Started workers", "count", workers)
		<-ctx.Done()
	}
	c.queue.ShutDown()
	running.Wait()
	logger.Info("Workers stopped")
}

func (c *controller) work(ctx context.Context) {
	for {
		key, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		if err := c.sync(klog.NewContext(ctx, klog.FromContext(ctx).WithValues("mydemo", key)), key); err != nil {
			utilruntime.HandleErrorWithContext(ctx, err, "Sync failed; trying again", "mydemo", key)
			c.queue.AddRateLimited(key)
		} else {
			c.queue.Forget(key)
		}
		c.queue.Done(key)
	}
}

func (c *controller) sync(ctx context.Context, key cache.ObjectName) error {
	logger := klog.FromContext(ctx)
	demo, err := c.demos.Mydemos(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		logger.Info("Mydemo is gone; deletion handled")
		return nil
	}
	if err != nil {
		return err
	}
	logger.Info("Processing Mydemo", "resourceVersion", demo.ResourceVersion, "ip", demo.Spec.IP, "port", demo.Spec.Port)
	c.recorder.Event(demo, corev1.EventTypeNormal, "Synced", "Mydemo synced successfully")
	logger.Info("Successfully synced")
	return nil
}
