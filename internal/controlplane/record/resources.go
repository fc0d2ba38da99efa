// SPDX-License-Identifier: Apache-2.0

package record

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/discovery"

	"github.com/crdctl/crdctl/internal/trace"
)

const (
	// askAgain is how long an API group that the server does not have is not asked for again.
	askAgain = time.Second
	// askTimeout is how long a cluster may take to answer, with what client-go tries again: nothing is recorded meanwhile.
	askTimeout = 2 * time.Second
	// askSilent is how long a server that did not answer in time is not asked for any API group.
	askSilent = 10 * askTimeout
)

// resources numbers API resources. The kind comes from an object, or else from discovery.
type resources struct {
	sink  trace.Sink
	kinds discovery.ServerResourcesInterfaceWithContext
	ended func() bool // the recording, which waits for no more answers
	known map[schema.GroupVersionResource]trace.ResourceID
	lists map[schema.GroupVersion][]metav1.APIResource
	asked map[schema.GroupVersion]time.Time
	// silent is when the server last did not answer in time.
	silent time.Time
	// byName has the object that has a name now.
	byName names
}

// names has the objects that were seen last, heldObjects or more of them.
type names struct{ recent, before map[name]trace.ObjectID }

func (n *names) get(of name) trace.ObjectID {
	id, ok := n.recent[of]
	if !ok {
		id = n.before[of]
	}
	return id
}

func (n *names) set(of name, id trace.ObjectID) {
	if len(n.recent) >= heldObjects || n.recent == nil {
		n.recent, n.before = map[name]trace.ObjectID{}, n.recent
	}
	n.recent[of] = id
}

func (n *names) remove(of name) {
	delete(n.recent, of)
	delete(n.before, of)
}

func newResources(sink trace.Sink, kinds discovery.ServerResourcesInterfaceWithContext, ended func() bool) resources {
	return resources{
		sink: sink, kinds: kinds, ended: ended, known: map[schema.GroupVersionResource]trace.ResourceID{},
		lists: map[schema.GroupVersion][]metav1.APIResource{}, asked: map[schema.GroupVersion]time.Time{},
	}
}

// id returns the number of a resource.
func (r *resources) id(gvr schema.GroupVersionResource) trace.ResourceID {
	if id, ok := r.known[gvr]; ok {
		return id
	}
	if gvr.Resource == "" {
		return 0
	}
	def := trace.Resource{Group: gvr.Group, Version: gvr.Version, Resource: gvr.Resource}
	gv := gvr.GroupVersion()
	if !slices.ContainsFunc(r.lists[gv], func(known metav1.APIResource) bool { return known.Name == gvr.Resource }) {
		r.ask(gv)
	}
	for _, found := range r.lists[gv] {
		if found.Name == gvr.Resource {
			def.Kind, def.Namespaced = found.Kind, found.Namespaced
		}
	}
	id := r.sink.Defs().Resource(def)
	if def.Kind != "" {
		r.known[gvr] = id
	}
	return id
}

// ask asks the server which resources an API group has, unless it was asked just before.
func (r *resources) ask(gv schema.GroupVersion) {
	if r.kinds == nil || time.Since(r.asked[gv]) <= askAgain || time.Since(r.silent) <= askSilent || r.ended() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	list, err := r.kinds.ServerResourcesForGroupVersionWithContext(ctx, gv.String())
	r.asked[gv] = time.Now()
	switch {
	case err == nil:
		r.lists[gv] = list.APIResources
	case utilnet.IsTimeout(err):
		r.silent = r.asked[gv]
	}
}

// learn returns the number of the resource of an object, which knows its kind.
func (r *resources) learn(gvr schema.GroupVersionResource, o *object, namespaced bool) trace.ResourceID {
	if id, ok := r.known[gvr]; ok {
		return id
	}
	if gvk := schema.FromAPIVersionAndKind(o.APIVersion, o.Kind); gvk.GroupVersion() == gvr.GroupVersion() && gvk.Kind != "Status" {
		r.known[gvr] = r.sink.Defs().Resource(trace.Resource{
			Group: gvr.Group, Version: gvr.Version, Resource: gvr.Resource, Kind: gvk.Kind, Namespaced: namespaced,
		})
		return r.known[gvr]
	}
	return r.id(gvr)
}
