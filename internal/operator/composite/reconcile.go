// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
)

func (r *reconciler) Reconcile(ctx context.Context, request controller.Request) (controller.Result, error) {
	parent := request.Object
	if parent == nil {
		r.Forget(request.Key)
		return controller.Result{Quiet: true}, nil
	}
	// A worker has other objects to work on than one for which the API server asks for a long delay.
	result, err := r.reconcile(informer.FailOnDelay(ctx), parent)
	var retry *hook.RetryAfterError
	switch {
	case errors.As(err, &retry):
		return result, &controller.LaterError{After: retry.After, Err: err}
	case err == nil || ctx.Err() != nil:
		return result, err
	}
	pipeline.From(ctx).Failed(hook.Public(err))
	if _, later := controller.PutOff(err); !later {
		r.handle.Record(r.handle.Kind.Reference(parent), corev1.EventTypeWarning, "SyncError", hook.Public(err))
	}
	return result, err
}

func (r *reconciler) Forget(parent cache.ObjectName) {
	r.related.forget(parent)
	r.memory.forgetParent(parent)
}

func (r *reconciler) reconcile(ctx context.Context, parent *object.Object) (controller.Result, error) {
	finalizers, err := r.finalizersOf(parent)
	if err != nil {
		return controller.Result{}, err
	}
	quiet, recorded := controller.Result{Quiet: true}, pipeline.From(ctx)
	held := finalizers.has(r.finalizer)
	switch {
	case parent.Deleting() && !held:
		recorded.DecidedSelf("children", "none", "the object is being deleted: its children are the garbage collector's")
		return quiet, nil // its children go with it: the API server's garbage collector sees to that
	case held && !r.Decider.Has(hook.Finalize): // there was a finalize hook once
		recorded.DecidedSelf("finalizers", "update", "there is no finalize hook any more")
		return quiet, r.setFinalizers(ctx, parent, finalizers.without(r.finalizer))
	case !parent.Deleting() && !held && r.Decider.Has(hook.Finalize):
		recorded.DecidedSelf("finalizers", "update", "it is set before anything else is done")
		// Before anything else, so that whatever is done can be undone. The new version comes back as an event.
		return quiet, r.setFinalizers(ctx, parent, append(finalizers, r.finalizer))
	}
	children, related, err := r.observe(ctx, parent)
	if err != nil {
		return controller.Result{}, err
	}
	decided, err := r.decide(ctx, parent, children, related)
	if err != nil {
		return controller.Result{}, err
	}
	r.recordEvents(parent, decided.answer.Events)
	changes, childErr := 0, error(nil)
	if decided.leavesChildren(finalizers) {
		recorded.DecidedSelf("children", "none", "they are left to the garbage collector")
	} else {
		changes, childErr = r.bringInLine(ctx, parent, decided)
	}
	now, statusErr := r.writeStatus(ctx, parent, decided.answer.Status)
	if err := errors.Join(childErr, statusErr); err != nil {
		return controller.Result{}, err
	}
	if decided.isFinal() {
		recorded.DecidedSelf("finalizers", "update", "the hook answered finalized")
		if err := r.release(ctx, now); err != nil {
			return controller.Result{}, err
		}
	}
	return controller.Result{
		After: time.Duration(decided.answer.ResyncAfterSeconds * float64(time.Second)),
		Quiet: changes == 0 && now.SameVersion(parent),
	}, nil
}

// decision is what a decider wants for one parent.
type decision struct {
	finalizing bool
	observed   []observed
	desired    []desired
	answer     answer
}

// isFinal tells that nothing is left to be done for a parent that is being deleted.
func (d *decision) isFinal() bool { return d.finalizing && d.answer.Finalized }

// leavesChildren tells that the children are the API server's garbage collector's from now on, as with Metacontroller: it
// removes them after their parent, or was asked to leave them without one. To create some that go at once may even be
// refused, in a namespace that is being deleted, and the finalizer would never go.
func (d *decision) leavesChildren(held finalizers) bool {
	return d.isFinal() || d.finalizing && (held.has(metav1.FinalizerOrphanDependents) || held.has(metav1.FinalizerDeleteDependents))
}

// observe finds what there is, in memory.
func (r *reconciler) observe(ctx context.Context, parent *object.Object) ([]observed, []relatedKind, error) {
	var all []observed
	for i := range r.children {
		for _, o := range r.children[i].feeds.OwnedBy(parent.UID()) {
			all = append(all, observed{kind: &r.children[i], object: o})
		}
	}
	related, err := r.relatedTo(ctx, parent)
	return all, related, err
}

// decide asks, and checks the answer. It changes nothing.
func (r *reconciler) decide(ctx context.Context, parent *object.Object, all []observed, related []relatedKind) (*decision, error) {
	d := &decision{finalizing: parent.Deleting(), observed: all}
	op := hook.Sync
	if d.finalizing {
		op = hook.Finalize
	}
	body := r.request(parent, d.observed, related, d.finalizing)
	said, err := r.ask(ctx, hook.Call{Op: op, Kind: parent.Kind(), Key: parent.Key().String(), Body: body})
	if err != nil {
		return nil, r.blame(op, err)
	}
	if d.answer, err = r.read(said, d.finalizing); err != nil {
		return nil, r.blame(op, err)
	}
	if d.desired, err = r.wanted(parent, d.answer.Children); err != nil {
		return nil, r.blame(op, err)
	}
	return d, nil
}

// ask calls the decider, and has the call recorded.
func (r *reconciler) ask(ctx context.Context, call hook.Call) ([]byte, error) {
	recorded := pipeline.From(ctx).Call(string(call.Op))
	if recorded != nil {
		call.Observer = recorded
	}
	said, err := r.Decider.Call(ctx, call)
	recorded.End(call.Body, said, err)
	return said, err
}

// blame says whose error it is, unless it says so itself: hooks do, with the program or URL, and templates with their directory.
func (r *reconciler) blame(op hook.Op, err error) error {
	switch {
	case r.Templates != "" && !strings.HasPrefix(err.Error(), r.Templates):
		return fmt.Errorf("%s: %w", r.Templates, err)
	case r.Templates != "" || strings.HasPrefix(err.Error(), string(op)+" hook"):
		return err
	}
	return fmt.Errorf("%s hook: %w", op, err)
}

// recordEvents records those that the answer has.
func (r *reconciler) recordEvents(parent *object.Object, events []Event) {
	for _, e := range events {
		r.handle.Record(r.handle.Kind.Reference(parent), e.Type, e.Reason, e.Message)
	}
}
