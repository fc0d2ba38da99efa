// SPDX-License-Identifier: Apache-2.0

// Package composite is the reconciler that keeps children in line with their parent. What children there are to be, a
// decider says: a hook or templates, asked in the format of Metacontroller's CompositeController. The package applies
// them on the server's side, removes those that are no longer wanted, and writes the parent's status and finalizer.
//
// It does not know how a decider works, it caches nothing itself, and it owns by owner references alone: an object that no
// parent of this loop controls is never changed, adopted or removed.
package composite

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"slices"

	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
)

// Options say whose children, and which.
type Options struct {
	// Name is the controller's: field manager of what it applies, and part of the finalizer.
	Name string
	// Children are the kinds that a decider may ask for.
	Children []Served
	Decider  hook.Decider
	// Templates is the directory of the templates that decide; "" where a hook does.
	Templates string
	// ReadsChildren tells that the decider looks into children. If not, only their metadata are in memory.
	ReadsChildren bool
	// Served finds the kinds of related objects.
	Served *Catalogue
	// Epoch counts the decider's changes.
	Epoch func() int64
	// Wrote is told of each write to a child, for counting.
	Wrote func(kind, verb string)
	Log   *slog.Logger
}

// finalizerDomain is before the controller's name in its finalizer.
const finalizerDomain = "crdctl.dev/"

// New makes reconcilers of the options, one for each kind of parent.
func New(o Options) controller.Maker {
	return func(h controller.Handle) (controller.Reconciler, error) {
		r, err := newReconciler(o, h)
		if err != nil {
			return nil, err
		}
		for _, kind := range o.Children {
			source := informer.Source{Resource: kind.Resource, Kind: kind.Kind, Namespaced: kind.Namespaced, Owned: anyOwner}
			if !o.ReadsChildren {
				source.Keep = object.Identity
			}
			r.children = append(r.children, children{Served: kind, feeds: h.Follow(source, r.childChanged)})
		}
		return r, nil
	}
}

func newReconciler(o Options, h controller.Handle) (*reconciler, error) {
	r := &reconciler{
		Options: o, handle: h, log: o.Log.With("kind", h.Kind.Kind), writer: newWriter(h.Client, o.Name), memory: newApplied(),
		related: newRelated(), finalizer: finalizerDomain + o.Name,
	}
	var err error
	r.controller, err = json.Marshal(r.controllerObject())
	return r, err
}

// anyOwner asks for what kinds of this loop own; the loop knows which those are.
func anyOwner(object.Owner) bool { return true }

// reconciler is that of one kind of parent.
type reconciler struct {
	Options
	handle     controller.Handle
	log        *slog.Logger
	writer     *writer
	children   []children
	memory     *applied
	related    *related
	controller json.RawMessage
	finalizer  string
	odd        oddities
}

// children are those of one kind.
type children struct {
	Served
	feeds informer.Set
}

// follows tells that the objects of a namespace are known. In a preview there are no feeds, and all are.
func (c *children) follows(namespace string) bool {
	return len(c.feeds) == 0 || slices.ContainsFunc(c.feeds, func(f *informer.Informer) bool {
		of := f.Source().Namespace
		return of == "" || of == namespace
	})
}

// Keeps implements controller.Reconciler: requests have whole parents in them.
func (r *reconciler) Keeps() controller.Keeping { return controller.KeepsWhole }

// Resyncs implements controller.Reconciler: a decider may look at what no watch tells of.
func (r *reconciler) Resyncs() bool { return true }

// childChanged has the parent reconciled. The owner reference has its name; its UID is checked when it is reconciled.
func (r *reconciler) childChanged(before, after *object.Object) {
	now := cmp.Or(after, before)
	var last cache.ObjectName
	for _, o := range []*object.Object{before, after} {
		if o == nil || o.Owner() == "" {
			continue
		}
		key := cache.ObjectName{Name: o.OwnerName()}
		if r.handle.Kind.Namespaced {
			key.Namespace = o.Namespace()
		}
		if key == last {
			continue
		}
		last = key
		if r.handle.Get(key) == nil {
			r.handle.Skip(now, "its owner "+key.String()+" is not known")
			continue
		}
		r.handle.Enqueue(key, pipeline.Child, now) // also a new one of that name, which waits until the old one's children have gone
	}
}

// controllerObject is what requests have for the controller: hooks may look for its name.
func (r *reconciler) controllerObject() any {
	type resource struct {
		APIVersion string `json:"apiVersion"`
		Resource   string `json:"resource"`
	}
	kinds := []resource{} // not null, where there are none
	for _, c := range r.Children {
		kinds = append(kinds, resource{c.Resource.GroupVersion().String(), c.Resource.Resource})
	}
	parent := r.handle.Kind.Resource
	return map[string]any{
		"apiVersion": "metacontroller.k8s.io/v1alpha1", "kind": "CompositeController",
		"metadata": map[string]any{"name": r.Name},
		"spec": map[string]any{
			"parentResource": resource{parent.GroupVersion().String(), parent.Resource},
			"childResources": kinds,
		},
	}
}
