// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
)

// bringInLine applies the children that are not what they should be, and then removes those that are no longer wanted. What
// fails does not keep the other children from being applied. But nothing is removed while one cannot be applied: it may be what takes
// the place of a child that works. It returns how much was changed.
func (r *reconciler) bringInLine(ctx context.Context, parent *object.Object, d *decision) (changes int, err error) {
	var problems []error
	recorded := pipeline.From(ctx)
	missing := false
	for i := range d.desired {
		changed, err := r.bring(ctx, parent, &d.desired[i])
		if err != nil {
			problems = append(problems, err)
			missing = missing || !errors.As(err, new(*contestedError)) // that one is there
		}
		if changed {
			changes++
		}
	}
	kept := false
	for _, o := range d.observed {
		if isWanted(o, d.desired) {
			continue
		}
		if o.object.Deleting() {
			recorded.Decided(o.kind.Kind, o.object.Key(), o.object, "none", "is being deleted")
			continue
		}
		if missing {
			recorded.Decided(o.kind.Kind, o.object.Key(), o.object, "none", "not deleted until all others are applied")
			kept = true
			continue
		}
		if err := r.remove(ctx, parent, o); err != nil {
			problems = append(problems, err)
			continue
		}
		changes++
	}
	r.memory.retain(parent, d.desired)
	err = errors.Join(problems...)
	if kept {
		err = fmt.Errorf("%w; no child is deleted until all others are applied", err)
	}
	return changes, err
}

func isWanted(o observed, all []desired) bool {
	for i := range all {
		// A kind may be among the children in two versions, and is the same object in both.
		if d := &all[i]; d.kind.Resource.GroupResource() == o.kind.Resource.GroupResource() && d.key == o.object.Key() {
			return true
		}
	}
	return false
}

func (r *reconciler) remove(ctx context.Context, parent *object.Object, o observed) error {
	name := o.kind.Kind + " " + o.object.Key().String()
	pipeline.From(ctx).Decided(o.kind.Kind, o.object.Key(), o.object, "delete", "the answer does not have it")
	err := r.writer.delete(ctx, o.kind.Served, o.object)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil { // a conflict too: were it treated as another one of that name, it would not be looked at again if it is not
		return fmt.Errorf("delete %s: %w", name, err)
	}
	r.Wrote(o.kind.Kind, "delete")
	r.log.Info("Child deleted", "key", parent.Key().String(), "child", name)
	return nil
}

// bring applies one child, unless it is as it was when the same was applied last.
func (r *reconciler) bring(ctx context.Context, parent *object.Object, d *desired) (changed bool, err error) {
	body, err := object.Compact(d.content)
	if err != nil {
		return false, fmt.Errorf("apply %s: %w", d.String(), err)
	}
	recorded := pipeline.From(ctx)
	known := d.kind.feeds.Get(d.key)
	// What was applied before and has to be applied again, another writer changed or removed.
	before, undone, first := r.memory.last(d.kind.Served, d.key, body)
	if known != nil && known.Owner() == parent.UID() {
		if known.Deleting() {
			recorded.Decided(d.kind.Kind, d.key, known, "none", "is being deleted")
			return false, nil // it comes back after it has gone
		}
		if undone && before == r.memory.content(known) {
			recorded.Decided(d.kind.Kind, d.key, known, "none", "same as last applied")
			return false, nil
		}
	}
	child := r.memory.child(d.kind.Served, d.key)
	if undone {
		if wait := r.memory.wait(child, time.Now()); wait > 0 {
			recorded.Decided(d.kind.Kind, d.key, known, "none", "left to another writer that reverts it")
			return false, &controller.LaterError{After: wait, Err: &contestedError{d.String()}}
		}
	}
	if known == nil || known.Owner() != parent.UID() {
		if err := r.mayTake(ctx, parent, d); err != nil {
			recorded.Decided(d.kind.Kind, d.key, known, "none", "is not this object's, or that could not be found out")
			return false, err
		}
	}
	now, created, err := r.writer.apply(ctx, d.kind.Served, d.key, body)
	if err != nil && d.kind.Kind == "Secret" {
		err = hook.Withhold(err) // it may quote a value, and more people can read events than Secrets
	}
	if err != nil {
		recorded.Decided(d.kind.Kind, d.key, known, "apply", "failed")
		return false, fmt.Errorf("apply %s: %w", d.String(), err)
	}
	if !r.ReadsChildren {
		now = now.MetadataOnly() // as it will be in the cache
	}
	r.memory.applied(parent.Key(), d.kind.Served, d.key, body, now)
	r.Wrote(d.kind.Kind, "apply")
	if recorded != nil {
		action, why := d.applied(known, now, undone, created, first)
		recorded.Decided(d.kind.Kind, d.key, now, action, why)
	}
	if known != nil && known.SameVersion(now) {
		return false, nil // the API server found nothing to change
	}
	if undone && (created || r.restored(known, now, before)) && r.memory.noteRestored(child, time.Now()) {
		r.reportContest(ctx, parent, d)
	}
	verb := "Child updated"
	if created {
		verb = "Child created"
	}
	r.log.Info(verb, "key", parent.Key().String(), "child", d.String())
	return true, nil
}

// applied is what an apply came to, and why it was sent, for the record. Undone tells that the same was applied before, first that nothing
// was.
func (d *desired) applied(known, now *object.Object, undone, created, first bool) (action, why string) {
	switch {
	case undone:
		why = "another writer changed it"
		if known == nil {
			why = "it is missing"
		}
	case first:
		why = "not applied since the start"
	default:
		why = "the answer changed"
	}
	switch {
	case created:
		return "create", why
	case known != nil && known.SameVersion(now):
		return "apply", why + "; the API server found nothing to change"
	}
	return "update", why
}
