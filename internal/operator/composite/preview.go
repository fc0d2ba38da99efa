// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/object"
)

// Preview is what a reconcile would do.
type Preview struct {
	Changes []Change
	Events  []Event
	// ResyncAfter is when the object would be reconciled again; 0 for not before something changes.
	ResyncAfter time.Duration
	// Finalized tells that a finalizer would be taken away.
	Finalized bool
}

// Change is what would become of one object. Before is nil for one that would be created, After for one that would go. Of
// the parent, both are its status only.
type Change struct {
	What          string // such as Deployment default/demo
	Before, After map[string]any
}

// Show asks the decider about one parent and has the API server try what comes of it, without a change to anything: the
// parent is as the API server would make it of content, with its defaults and checks, whose errors begin with the file.
func Show(ctx context.Context, o Options, h controller.Handle, file string, content map[string]any) (*Preview, error) {
	r, err := newReconciler(o, h)
	if err != nil {
		return nil, err
	}
	r.writer.dryRun = true
	for _, kind := range o.Children {
		r.children = append(r.children, children{Served: kind})
	}
	parent, err := r.wouldBe(ctx, content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if parent.Deleting() && !r.Decider.Has(hook.Finalize) {
		return &Preview{}, nil // the hook is not asked: see reconcile
	}
	observed, err := r.list(ctx, parent)
	if err != nil {
		return nil, err
	}
	related, err := r.listRelated(ctx, parent)
	if err != nil {
		return nil, err
	}
	d, err := r.decide(ctx, parent, observed, related)
	if err != nil {
		return nil, err
	}
	p := &Preview{Events: d.answer.Events, ResyncAfter: time.Duration(d.answer.ResyncAfterSeconds * float64(time.Second)), Finalized: d.isFinal()}
	return p, r.fill(ctx, p, parent, d)
}

// wouldBe is the parent as it would be in the API server.
func (r *reconciler) wouldBe(ctx context.Context, content map[string]any) (*object.Object, error) {
	status, _ := content["status"].(map[string]any)
	meta, _ := content["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	namespace, _ := meta["namespace"].(string)
	for _, field := range serverFields {
		delete(meta, field)
	}
	delete(content, "status")
	body, err := object.Compact(content)
	if err != nil {
		return nil, err
	}
	key := cache.ObjectName{Namespace: namespace, Name: name}
	parent, created, err := r.writer.apply(ctx, r.parentKind(), key, body)
	if err != nil || !created || status == nil {
		return parent, err
	}
	whole, err := parent.Content() // what does not exist has the status that the file says it had
	if err != nil {
		return nil, err
	}
	whole["status"] = status
	data, err := object.Compact(whole)
	if err != nil {
		return nil, err
	}
	return object.Decode(data, &object.Form{APIVersion: parent.APIVersion(), Kind: parent.Kind()})
}

func (r *reconciler) parentKind() Served {
	return Served{Resource: r.handle.Kind.Resource, Kind: r.handle.Kind.Kind, Namespaced: r.handle.Kind.Namespaced}
}

// list is observe without feeds.
func (r *reconciler) list(ctx context.Context, parent *object.Object) ([]observed, error) {
	var all []observed
	for i := range r.children {
		kind := &r.children[i]
		objects, err := informer.Read(ctx, r.handle.Client, informer.Source{Resource: kind.Resource, Kind: kind.Kind, Namespaced: kind.Namespaced, Namespace: parent.Namespace()})
		if err != nil {
			return nil, fmt.Errorf("list the children: %w", err)
		}
		for _, o := range objects {
			if o.Owner() == parent.UID() {
				all = append(all, observed{kind: kind, object: o})
			}
		}
	}
	return all, nil
}

func (r *reconciler) listRelated(ctx context.Context, parent *object.Object) ([]relatedKind, error) {
	rules, err := r.rulesOf(ctx, parent)
	if err != nil {
		return nil, err
	}
	return collect(rules, func(rule *rule) ([]*object.Object, error) {
		return informer.Read(ctx, r.handle.Client, informer.Source{Resource: rule.served.Resource, Kind: rule.served.Kind, Namespaced: rule.served.Namespaced})
	})
}

func (r *reconciler) fill(ctx context.Context, p *Preview, parent *object.Object, d *decision) error {
	var problems []error
	held, err := r.finalizersOf(parent)
	if err != nil {
		return err
	}
	if d.leavesChildren(held) {
		d.observed, d.desired = nil, nil
	}
	for _, o := range d.observed {
		if isWanted(o, d.desired) || o.object.Deleting() {
			continue
		}
		before, err := o.object.Content()
		problems = append(problems, err)
		p.Changes = append(p.Changes, Change{What: o.kind.Kind + " " + o.object.Key().String(), Before: before})
	}
	for i := range d.desired {
		change, err := r.try(ctx, parent, &d.desired[i], d.observed)
		if err != nil { // without its end, a change looks like a removal
			problems = append(problems, err)
			continue
		}
		p.Changes = append(p.Changes, change)
	}
	if d.answer.Status != nil {
		after, err := r.withGeneration(parent, d.answer.Status)
		var before map[string]any
		if text := parent.Field("status"); err == nil && text != "" {
			err = utiljson.Unmarshal([]byte(text), &before)
		}
		problems = append(problems, err)
		p.Changes = append(p.Changes, Change{What: "status of " + parent.Kind() + " " + parent.Key().String(), Before: before, After: after})
	}
	return errors.Join(problems...)
}

// try has the API server apply one child without keeping it.
func (r *reconciler) try(ctx context.Context, parent *object.Object, d *desired, all []observed) (Change, error) {
	change := Change{What: d.String()}
	var known *object.Object
	if at := slices.IndexFunc(all, func(o observed) bool {
		return o.kind == d.kind && o.object.Key() == d.key
	}); at >= 0 {
		known = all[at].object
	}
	body, err := json.Marshal(d.content)
	if err != nil {
		return change, err
	}
	if known == nil {
		if err := r.mayTake(ctx, parent, d); err != nil {
			return change, err
		}
	} else if change.Before, err = known.Content(); err != nil {
		return change, err
	}
	now, _, err := r.writer.apply(ctx, d.kind.Served, d.key, body)
	switch {
	case apierrors.IsNotFound(err): // the namespace does not exist
		return change, fmt.Errorf("apply %s: %w; create the namespace first", d.String(), err)
	case err != nil:
		return change, fmt.Errorf("apply %s: %w", d.String(), err)
	}
	change.After, err = now.Content()
	return change, err
}
