// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
)

// relatedKind are the related objects of one kind.
type relatedKind struct {
	served  Served
	objects []*object.Object
}

// related knows which objects a decider wants to see in addition to children, for each parent.
type related struct {
	mu    sync.Mutex // held by handlers of feeds: a goroutine that holds it must not ask a feed for anything
	rules map[cache.ObjectName]customized

	followMu sync.Mutex
	feeds    map[schema.GroupVersionResource]following
}

// following are the feeds of a kind, and since when.
type following struct {
	informer.Set
	since time.Time
}

// The pauses between looks at a kind that the API server has not listed: mostly its cache is about to fill.
const (
	shortestWait = 100 * time.Millisecond
	longestWait  = 30 * time.Second
)

// customized is the answer of a customize hook, and what it was about.
type customized struct {
	uid        string
	generation int64
	epoch      int64
	rules      []rule
}

func newRelated() *related {
	return &related{rules: map[cache.ObjectName]customized{}, feeds: map[schema.GroupVersionResource]following{}}
}

func (r *related) forget(parent cache.ObjectName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.rules, parent)
}

// relatedTo returns what the customize hook asks for.
func (r *reconciler) relatedTo(ctx context.Context, parent *object.Object) ([]relatedKind, error) {
	rules, err := r.rulesOf(ctx, parent)
	if err != nil {
		return nil, err
	}
	return collect(rules, func(rule *rule) ([]*object.Object, error) {
		feeds := r.followRelated(rule)
		if !feeds.Synced() {
			// As long again as it has taken: who may not list a kind should not be asked for it ten times a second.
			after := min(max(time.Since(feeds.since), shortestWait), longestWait)
			return nil, &controller.LaterError{After: after, Err: fmt.Errorf("the related %s are not known yet", rule.Resource)}
		}
		var all []*object.Object
		for _, f := range feeds.Set {
			all = append(all, f.All()...)
		}
		return all, nil
	})
}

// collect finds the objects that rules select, by kind.
func collect(rules []rule, of func(*rule) ([]*object.Object, error)) ([]relatedKind, error) {
	var all []relatedKind
	seen := map[types.UID]bool{} // two rules may select one object
	for i := range rules {
		objects, err := of(&rules[i])
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(all, func(k relatedKind) bool { return k.served == rules[i].served })
		if at < 0 {
			at = len(all)
			all = append(all, relatedKind{served: rules[i].served})
		}
		for _, o := range objects {
			if !seen[o.UID()] && rules[i].selects(&candidate{Object: o}) {
				seen[o.UID()] = true
				all[at].objects = append(all[at].objects, o)
			}
		}
	}
	for _, kind := range all { // hooks should be asked the same when nothing changed
		slices.SortFunc(kind.objects, func(a, b *object.Object) int {
			return cmp.Or(cmp.Compare(a.Namespace(), b.Namespace()), cmp.Compare(a.Name(), b.Name()))
		})
	}
	return all, nil
}

// rulesOf are the rules of the customize hook, none where there is no such hook. It is asked once for each generation of a
// parent, as Metacontroller does: its answer may depend on nothing else.
func (r *reconciler) rulesOf(ctx context.Context, parent *object.Object) ([]rule, error) {
	if !r.Decider.Has(hook.Customize) {
		return nil, nil
	}
	rules, err := r.askForRules(ctx, parent)
	if err != nil {
		return nil, r.blame(hook.Customize, err)
	}
	return rules, nil
}

func (r *reconciler) askForRules(ctx context.Context, parent *object.Object) ([]rule, error) {
	now := customized{uid: string(parent.UID()), generation: parent.Generation(), epoch: r.Epoch()}
	r.related.mu.Lock()
	known, ok := r.related.rules[parent.Key()]
	r.related.mu.Unlock()
	if ok && known.uid == now.uid && known.generation == now.generation && known.epoch == now.epoch && now.generation != 0 {
		return known.rules, nil
	}
	body := parent.AppendJSON(append(append([]byte(`{"controller":`), r.controller...), `,"parent":`...))
	said, err := r.ask(ctx, hook.Call{Op: hook.Customize, Kind: parent.Kind(), Key: parent.Key().String(), Body: append(body, '}')})
	if err != nil {
		return nil, err
	}
	rules, err := r.readRules(said)
	if err != nil {
		return nil, err
	}
	for i := range rules {
		rule := &rules[i]
		if err := rule.settle(parent); err != nil {
			return nil, fmt.Errorf("relatedResources[%d]: %w", i, err)
		}
		if rule.served, err = r.Served.Resource(ctx, rule.APIVersion, rule.Resource); err != nil {
			return nil, fmt.Errorf("relatedResources[%d]: %w", i, err)
		}
	}
	now.rules = rules
	r.related.mu.Lock()
	defer r.related.mu.Unlock()
	// Parts of the object's text would keep all of it in memory, whatever comes after.
	now.uid = strings.Clone(now.uid)
	r.related.rules[cache.NewObjectName(strings.Clone(parent.Namespace()), strings.Clone(parent.Name()))] = now
	return now.rules, nil
}

func (r *reconciler) followRelated(of *rule) following {
	r.related.followMu.Lock()
	defer r.related.followMu.Unlock()
	kind := of.served
	feeds, ok := r.related.feeds[kind.Resource]
	if !ok {
		feeds = following{since: time.Now(), Set: r.handle.Follow(informer.Source{Resource: kind.Resource, Kind: kind.Kind, Namespaced: kind.Namespaced},
			func(before, after *object.Object) { r.relatedChanged(kind, before, after) })}
		r.related.feeds[kind.Resource] = feeds
	}
	return feeds
}

// relatedChanged has every parent reconciled that asked for the object as it was, or as it is.
func (r *reconciler) relatedChanged(kind Served, before, after *object.Object) {
	was, is := &candidate{Object: before}, &candidate{Object: after}
	now := cmp.Or(after, before)
	r.related.mu.Lock()
	defer r.related.mu.Unlock()
	for parent, asked := range r.related.rules {
		for i := range asked.rules {
			rule := &asked.rules[i]
			if rule.served == kind && (before != nil && rule.selects(was) || after != nil && rule.selects(is)) {
				r.handle.Enqueue(parent, pipeline.Related, now)
				break
			}
		}
	}
}
