// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/cronjob"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/controller/statefulset"
)

// controllers are the parts of kube-controller-manager that make objects behave as they do in a cluster:
// owned objects go with their owner, namespaces empty themselves, Deployments have pods.
//
// A token controller is not needed, since tokens are issued on request today.
type controllers struct {
	cancel   context.CancelFunc
	running  sync.WaitGroup
	typed    informers.SharedInformerFactory
	metadata metadatainformer.SharedInformerFactory
}

func startControllers(s *apiServer, pendingPods bool) (*controllers, error) {
	clients := clients{loopback: s.loopback}
	ctx, cancel := context.WithCancel(context.Background())
	c := &controllers{
		cancel:   cancel,
		typed:    informers.NewSharedInformerFactory(clients.of(informersAgent), 0),
		metadata: metadatainformer.NewSharedInformerFactory(clients.metadataOf(informersAgent), 0),
	}
	runs, err := c.build(ctx, &clients)
	if err == nil && !pendingPods {
		var run func()
		run, err = runPods(ctx, clients.of(podsAgent), c.typed.Core().V1().Pods())
		runs = append(runs, run, func() { insistOnNode(ctx, clients.of(podsAgent)) })
	}
	if pendingPods { // kept data may have the node of a run before
		runs = append(runs, func() { _ = clients.of(podsAgent).CoreV1().Nodes().Delete(ctx, nodeName, metav1.DeleteOptions{}) })
	}
	if err = errors.Join(err, clients.err); err != nil {
		cancel()
		return nil, fmt.Errorf("make the controllers: %w", err)
	}
	defaults := clients.of(defaultsAgent)
	runs = append(runs, func() {
		if err := createDefaults(ctx, defaults, generalRoles|controllerRoles, 1); err != nil && ctx.Err() == nil {
			klog.ErrorS(err, "Default roles or priority classes are missing")
		}
	})
	c.typed.Start(ctx.Done())
	c.metadata.Start(ctx.Done())
	for _, run := range runs {
		c.running.Go(run)
	}
	return c, nil
}

// buildCollectors makes the controllers that remove objects: those whose owner has gone, and those of a namespace that was deleted.
func (c *controllers) buildCollectors(ctx context.Context, clients *clients) ([]func(), error) {
	discovery := clients.of(informersAgent).Discovery()
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discovery))
	resources, err := newDiscoveryCache(discovery, c.metadata)
	if err != nil {
		return nil, err
	}
	informersStarted := make(chan struct{})
	close(informersStarted) // they are, by the time that the collector runs
	collector, err := garbagecollector.NewGarbageCollector(ctx, clients.of(collectorAgent), clients.metadataOf(collectorAgent), mapper, garbagecollector.DefaultIgnoredResources(),
		informerfactory.NewInformerFactory(c.typed, c.metadata), informersStarted)
	if err != nil {
		return nil, err
	}
	namespaces := namespace.NewNamespaceController(ctx, clients.of(namespaceAgent), clients.metadataOf(namespaceAgent), discovery.ServerPreferredNamespacedResources, c.typed.Core().V1().Namespaces(),
		5*time.Minute, corev1.FinalizerKubernetes)
	const resync = time.Second // how soon the objects of a new CRD are collected
	return []func(){
		func() { collector.Run(ctx, 4, resync) },
		func() { collector.Sync(ctx, resources, resync) },
		func() { namespaces.Run(ctx, 2) },
	}, nil
}

// build makes the controllers, which register with the informers, and returns what runs them.
func (c *controllers) build(ctx context.Context, clients *clients) ([]func(), error) {
	core, apps, batch, rbac := c.typed.Core().V1(), c.typed.Apps().V1(), c.typed.Batch().V1(), c.typed.Rbac().V1()
	collectors, err := c.buildCollectors(ctx, clients)
	if err != nil {
		return nil, err
	}
	accounts, err := serviceaccount.NewServiceAccountsController(klog.FromContext(ctx), core.ServiceAccounts(), core.Namespaces(), clients.of("service-account-controller"),
		serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return nil, err
	}
	deployments, err := deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(), core.Pods(), clients.of("deployment-controller"))
	if err != nil {
		return nil, err
	}
	jobs, err := job.NewController(ctx, clients.of("job-controller"), core.Pods(), batch.Jobs(), nil, nil)
	if err != nil {
		return nil, err
	}
	cronJobs, err := cronjob.NewControllerV2(ctx, batch.Jobs(), batch.CronJobs(), clients.of("cronjob-controller"))
	if err != nil {
		return nil, err
	}
	// For each node a pod: where pods run there is one (see node.go), and otherwise none.
	daemonSets, err := daemon.NewDaemonSetsController(ctx, apps.DaemonSets(), apps.ControllerRevisions(), core.Pods(), core.Nodes(), clients.of("daemonset-controller"),
		flowcontrol.NewBackOff(time.Second, 15*time.Minute))
	if err != nil {
		return nil, err
	}
	replicaSets := replicaset.NewReplicaSetController(ctx, apps.ReplicaSets(), core.Pods(), clients.of("replicaset-controller"), replicaset.BurstReplicas)
	statefulSets := statefulset.NewStatefulSetController(ctx, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(), apps.ControllerRevisions(), clients.of("statefulset-controller"))
	aggregation := clusterroleaggregation.NewClusterRoleAggregation(rbac.ClusterRoles(), clients.of("clusterrole-aggregation-controller").RbacV1())

	return append(collectors,
		func() { accounts.Run(ctx, 1) },
		func() { deployments.Run(ctx, 2) },
		func() { jobs.Run(ctx, 2) },
		func() { cronJobs.Run(ctx, 1) },
		func() { replicaSets.Run(ctx, 2) },
		func() { statefulSets.Run(ctx, 1) },
		func() { daemonSets.Run(ctx, 1) },
		func() { aggregation.Run(ctx, 1) },
	), nil
}

// stop waits for every controller and informer.
func (c *controllers) stop() {
	c.cancel()
	c.running.Wait()
	c.typed.Shutdown()
	c.metadata.Shutdown()
}
