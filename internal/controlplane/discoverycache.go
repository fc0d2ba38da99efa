// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"sync"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

// settling is how long after a change of a CRD what the API server serves may still change with it.
const settling = 5 * time.Second

// discoveryCache asks the API server which resources there are only when a CRD, or an API of another server, has changed. The garbage collector wants
// to know every second, so that the objects of a new CRD are collected soon, and most of these seconds nothing is new.
type discoveryCache struct {
	discovery.ServerResourcesInterface
	mu      sync.Mutex
	fresh   time.Time // until when answers are not to be kept
	answer  []*metav1.APIResourceList
	problem error
}

func newDiscoveryCache(inner discovery.ServerResourcesInterface, informers metadatainformer.SharedInformerFactory) (*discoveryCache, error) {
	d := &discoveryCache{ServerResourcesInterface: inner, fresh: time.Now().Add(settling)}
	changed := func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.fresh = time.Now().Add(settling)
	}
	for _, kind := range []schema.GroupVersionResource{
		apiextv1.SchemeGroupVersion.WithResource("customresourcedefinitions"),
		{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"},
	} {
		_, err := informers.ForResource(kind).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { changed() }, UpdateFunc: func(_, _ any) { changed() }, DeleteFunc: func(any) { changed() },
		})
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// ServerPreferredResources is what the collector calls.
func (d *discoveryCache) ServerPreferredResources() ([]*metav1.APIResourceList, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.answer == nil || d.problem != nil || time.Now().Before(d.fresh) {
		d.answer, d.problem = d.ServerResourcesInterface.ServerPreferredResources()
	}
	return d.answer, d.problem
}
