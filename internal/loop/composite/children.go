package composite

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/loop/object"
)

// bringInLine removes the children that are no longer wanted, and applies the others where they are not what they should
// be. What fails does not keep the rest from being done: a child that cannot be deleted should not stop the one that is
// missing. It returns how much was changed.
func (r *reconciler) bringInLine(ctx context.Context, parent *object.Object, d *decision) (changes int, err error) {
	var problems []error
	for _, o := range d.observed {
		if o.object.Deleting() || isWanted(o, d.desired) {
			continue
		}
		if err := r.remove(ctx, o); err != nil {
			problems = append(problems, err)
			continue
		}
		changes++
	}
	for i := range d.desired {
		changed, err := r.bring(ctx, parent, &d.desired[i])
		if err != nil {
			problems = append(problems, err)
		}
		if changed {
			changes++
		}
	}
	r.memory.retain(parent, d.desired)
	return changes, errors.Join(problems...)
}

func isWanted(o observed, all []desired) bool {
	for i := range all {
		// A kind may be among the children in two versions, and is the same object in both.
		if d := &all[i]; d.kind.Resource.GroupResource() == o.kind.Resource.GroupResource() && d.name == o.object.Name() && d.namespace == o.object.Namespace() {
			return true
		}
	}
	return false
}

func (r *reconciler) remove(ctx context.Context, o observed) error {
	name := o.kind.Kind + " " + o.object.Key().String()
	err := r.writer.delete(ctx, o.kind.Served, o.object)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil { // a conflict too: were it taken for another one of that name, nobody would look again if it is not
		return fmt.Errorf("delete %s: %w", name, err)
	}
	r.count(o.kind.Kind, "delete")
	r.log.Info("Child deleted", "child", name)
	return nil
}

// bring applies one child, unless it is as it was when the same was applied last.
func (r *reconciler) bring(ctx context.Context, parent *object.Object, d *desired) (changed bool, err error) {
	body, err := object.Compact(d.content)
	if err != nil {
		return false, fmt.Errorf("apply %s: %w", d.String(), err)
	}
	key := cache.ObjectName{Namespace: d.namespace, Name: d.name}
	known := d.kind.feeds.Get(key)
	if known != nil && known.Owner() == parent.UID() {
		if known.Deleting() {
			return false, nil // it comes back after it has gone
		}
		if r.memory.isApplied(d.kind.Served, key, body, known) {
			return false, nil
		}
	} else if err := r.mayTake(ctx, parent, d); err != nil {
		return false, err
	}
	now, created, err := r.writer.apply(ctx, d.kind.Served, key, body)
	if err != nil {
		return false, fmt.Errorf("apply %s: %w", d.String(), err)
	}
	if !r.ReadsChildren {
		now = now.Bare() // as it will be in the cache
	}
	r.memory.applied(parent.Key(), d.kind.Served, key, body, now)
	r.count(d.kind.Kind, "apply")
	if known != nil && known.SameVersion(now) {
		return false, nil // the API server found nothing to change
	}
	verb := "Child updated"
	if created {
		verb = "Child created"
	}
	r.log.Info(verb, "key", parent.Key().String(), "child", d.String())
	return true, nil
}

func (r *reconciler) count(kind, verb string) {
	if r.Wrote != nil {
		r.Wrote(kind, verb)
	}
}
