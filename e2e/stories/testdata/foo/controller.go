package main

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	appsinformers "k8s.io/client-go/informers/apps/v1"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	clientset "example.com/foo/pkg/generated/clientset/versioned"
	informers "example.com/foo/pkg/generated/informers/externalversions/samplecontroller/v1alpha1"
	listers "example.com/foo/pkg/generated/listers/samplecontroller/v1alpha1"
)

// controller keeps a Deployment for each Foo. Its queue holds the keys of Foos, whichever of the two has changed.
type controller struct {
	kube        kubernetes.Interface
	client      clientset.Interface
	deployments appslisters.DeploymentLister
	foos        listers.FooLister
	synced      []cache.InformerSynced
	queue       workqueue.TypedRateLimitingInterface[cache.ObjectName]
	recorder    record.EventRecorder
}

func newController(kube kubernetes.Interface, client clientset.Interface, deployments appsinformers.DeploymentInformer,
	foos informers.FooInformer, recorder record.EventRecorder) (*controller, error) {
	c := &controller{
		kube: kube, client: client, deployments: deployments.Lister(), foos: foos.Lister(),
		synced:   []cache.InformerSynced{deployments.Informer().HasSynced, foos.Informer().HasSynced},
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
		recorder: recorder,
	}
	if _, err := foos.Informer().AddEventHandler(changes(c.enqueue)); err != nil {
		return nil, err
	}
	_, err := deployments.Informer().AddEventHandler(changes(c.enqueueOwner))
	return c, err
}

// run works until the context ends, and returns when no worker is at work any more.
func (c *controller) run(ctx context.Context, workers int) {
	logger := klog.FromContext(ctx)
	logger.Info("Waiting for the caches to sync")
	var running sync.WaitGroup
	if cache.WaitForCacheSync(ctx.Done(), c.synced...) {
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
		c.process(klog.NewContext(ctx, klog.FromContext(ctx).WithValues("foo", key)), key)
	}
}

// process syncs one Foo. What fails is tried again, later and later; success forgets the failures.
func (c *controller) process(ctx context.Context, key cache.ObjectName) {
	defer c.queue.Done(key)
	err := c.sync(ctx, key)
	switch {
	case err == nil:
		c.queue.Forget(key)
		return
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		// The cache is behind; what it lacks is on its way.
		klog.FromContext(ctx).V(4).Info("Trying again", "err", err)
	default:
		utilruntime.HandleErrorWithContext(ctx, err, "Sync failed; trying again")
	}
	c.queue.AddRateLimited(key)
}
