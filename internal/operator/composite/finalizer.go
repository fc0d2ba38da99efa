// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdctl/crdctl/internal/operator/object"
)

type finalizers []string

func (f finalizers) has(name string) bool { return slices.Contains(f, name) }

func (f finalizers) without(name string) finalizers {
	return slices.DeleteFunc(slices.Clone(f), func(each string) bool { return each == name })
}

func (r *reconciler) finalizersOf(parent *object.Object) (finalizers, error) {
	if !parent.Mentions(`"finalizers"`) {
		return nil, nil // which spares the decoding for nearly all
	}
	meta, err := parent.Meta()
	if err != nil {
		return nil, err
	}
	return meta.Finalizers, nil
}

// release takes the finalizer away. The parent is as it is after its status was written, which made a new version of it.
func (r *reconciler) release(ctx context.Context, parent *object.Object) error {
	held, err := r.finalizersOf(parent)
	if err != nil || !held.has(r.finalizer) {
		return err
	}
	return r.setFinalizers(ctx, parent, held.without(r.finalizer))
}

// setFinalizers depends on the version: the list is replaced, and another client may have put another one into it. What has gone
// needs none any more.
func (r *reconciler) setFinalizers(ctx context.Context, parent *object.Object, to finalizers) error {
	_, err := r.writer.patch(ctx, r.parentKind(), parent.Key(), types.MergePatchType, map[string]any{"metadata": map[string]any{
		"uid": parent.UID(), "resourceVersion": parent.ResourceVersion(), "finalizers": to,
	}})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("set the finalizers of %s %s: %w", parent.Kind(), parent.Key(), err)
	}
	return nil
}
