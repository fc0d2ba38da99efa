// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// defaultsHook is what creates the default roles and priority classes in a Quick server. /healthz and /readyz wait for it.
const (
	defaultsHook = "crdctl/bootstrap-defaults"
	rolesAtOnce  = 8
)

// Quick is a kube-apiserver of any flags that starts and stops sooner than upstream's command, and does the same otherwise.
type Quick struct {
	*aggregator.APIAggregator
	listener *closingListener
}

// closingListener tells when the server closes it, which is what ends the first part of an orderly stop: by then nothing is accepted any
// more, and the requests that the server makes to itself for its end are over.
type closingListener struct {
	*listener
	once   sync.Once
	closed chan struct{}
}

func (l *closingListener) Close() error {
	defer l.once.Do(func() { close(l.closed) })
	return l.listener.Close()
}

// NewQuick makes a server of what app.NewConfig returned. It says of itself which release it is, starts at once what upstream's waits
// a second for, and makes OpenAPI documents when they are asked for.
func NewQuick(config *app.Config) (*Quick, error) {
	kube, outer := config.KubeAPIs.ControlPlane.Generic, &config.Aggregator.GenericConfig.Config
	for _, g := range []*genericapiserver.Config{kube, outer} {
		g.EffectiveVersion = releasedVersion{g.EffectiveVersion}
	}
	kube.DisabledPostStartHooks.Insert(slowHooks()...)
	if err := kube.AddPostStartHook(defaultsHook, bootstrapDefaults); err != nil {
		return nil, err
	}
	q := &Quick{listener: &closingListener{listener: &listener{Listener: kube.SecureServing.Listener}, closed: make(chan struct{})}}
	kube.SecureServing.Listener = q.listener // all of them share this struct
	build := outer.BuildHandlerChainFunc
	outer.BuildHandlerChainFunc = func(handler http.Handler, c *genericapiserver.Config) http.Handler {
		return holdUntilHealthy(build(handler, c))
	}
	completed, err := config.Complete()
	if err != nil {
		return nil, err
	}
	openAPI := postponeOpenAPI(kube)
	if q.APIAggregator, err = app.CreateServerChain(completed); err != nil {
		return nil, err
	}
	delegate, ok := q.GenericAPIServer.NextDelegate().(*genericapiserver.GenericAPIServer)
	if !ok {
		return nil, errors.New("the aggregator has no delegate; this crdctl does not fit its Kubernetes libraries")
	}
	openAPI.serve(delegate)
	return q, nil
}

// Closed is closed when the server has begun to stop and accepts no connections any more.
func (q *Quick) Closed() <-chan struct{} { return q.listener.closed }

// Drop closes all connections, watches among them.
func (q *Quick) Drop() { q.listener.drop() }

// bootstrapDefaults creates what every cluster has. A server without is of no use, so an error ends it. The roles of
// kube-controller-manager's controllers, which do not run, follow when the server is healthy.
func bootstrapDefaults(hook genericapiserver.PostStartHookContext) error {
	client, err := kubernetes.NewForConfig(hook.LoopbackClientConfig)
	if err != nil {
		return err
	}
	var last error
	err = wait.PollUntilContextTimeout(hook, pollInterval, time.Minute, true, func(ctx context.Context) (bool, error) {
		last = createDefaults(ctx, client, generalRoles, rolesAtOnce)
		return last == nil, nil
	})
	if err != nil && hook.Err() != nil {
		return nil // it is to end
	}
	if err == nil {
		go func() {
			if err := createRoles(hook, client, controllerRoles, 1); err != nil && hook.Err() == nil {
				klog.ErrorS(err, "Default roles of controllers are missing")
			}
		}()
	}
	return errors.Join(err, last)
}
