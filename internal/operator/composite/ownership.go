// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/object"
)

// mayTake refuses a child whose name is taken by an object that is not the parent's: it belongs to another. The cache does not
// have it, or not all that counts, so the API server is asked. What is created between its answer and the apply becomes the
// parent's own if it has no controller: an apply cannot require that the object does not exist.
func (r *reconciler) mayTake(ctx context.Context, parent *object.Object, d *desired) error {
	known, err := r.writer.metadata(ctx, d.kind.Served, d.key)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("look for %s: %w", d.String(), err)
	case known.Owner() == parent.UID():
		return nil // the cache is behind
	}
	meta, err := known.Meta()
	if err != nil {
		return err
	}
	if isFormer(metav1.GetControllerOfNoCopy(meta), parent) {
		// The parent was made anew, and what the API server's garbage collector has yet to take away is its predecessor's.
		return &controller.LaterError{After: time.Second, Err: fmt.Errorf("%s belongs to a deleted %s %s and is not garbage-collected yet", d.String(), parent.Kind(), parent.Key())}
	}
	message := fmt.Sprintf("%s exists and is not controlled by %s %s; delete it or give the child another name", d.String(), parent.Kind(), parent.Key())
	r.handle.Record(r.handle.Kind.Reference(parent), corev1.EventTypeWarning, "ErrResourceExists", message)
	return errors.New(message)
}

// isFormer tells that a controller has the parent's name and kind, in whatever version. Parents of different kinds often
// share a name, and the one's children are not the other's.
func isFormer(controller *metav1.OwnerReference, parent *object.Object) bool {
	if controller == nil || controller.Name != parent.Name() || controller.Kind != parent.Kind() {
		return false
	}
	its, err := schema.ParseGroupVersion(controller.APIVersion)
	ours, ourErr := schema.ParseGroupVersion(parent.APIVersion())
	return err == nil && ourErr == nil && its.Group == ours.Group
}
