// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
)

// patchStep is a step of a JSON patch.
type patchStep struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// writeStatus replaces the parent's status with what the answer has, if that is another one, and returns the parent as it
// is then. It does not depend on the
// version of the object: a status says what was found, and the next reconcile finds what is new. But it depends on the
// identity, since an object that was made anew must not get its predecessor's status.
func (r *reconciler) writeStatus(ctx context.Context, parent *object.Object, status json.RawMessage) (*object.Object, error) {
	recorded := pipeline.From(ctx)
	if status == nil {
		recorded.DecidedSelf("status", "none", "the answer has none")
		return parent, nil
	}
	wanted, err := r.withGeneration(parent, status)
	if err != nil {
		return parent, err
	}
	text, err := object.Compact(wanted)
	if err != nil {
		return parent, err
	}
	before := parent.Field("status")
	if sameJSON(before, wanted) {
		recorded.DecidedSelf("status", "none", "same as it is")
		return parent, nil
	}
	if r.memory.isWritten(parent, text, before) {
		recorded.DecidedSelf("status", "none", "same as last written")
		return parent, nil
	}
	recorded.DecidedSelf("status", "update", "the answer differs from what it is")
	var subresource []string
	if r.handle.Kind.StatusSubresource {
		subresource = []string{"status"}
	}
	now, err := r.writer.patch(ctx, r.parentKind(), parent.Key(), types.JSONPatchType, []patchStep{
		{"test", "/metadata/uid", parent.UID()},
		{"add", "/status", wanted},
	}, subresource...)
	switch {
	case apierrors.IsNotFound(err):
		return parent, nil // it has gone, and its status is not read
	case err != nil:
		return parent, fmt.Errorf("write the status of %s %s: %w", parent.Kind(), parent.Key(), err)
	}
	r.memory.written(parent, text, now.Field("status"))
	return now, nil
}

// withGeneration adds the generation that the status is about, where the CRD has a field for it. A hook that hands back the
// status that it was shown hands back an old one.
func (r *reconciler) withGeneration(parent *object.Object, status json.RawMessage) (map[string]any, error) {
	var wanted map[string]any
	if err := utiljson.Unmarshal(status, &wanted); err != nil {
		return nil, fmt.Errorf("read the answer's status: %w", err)
	}
	if r.handle.Kind.ObservedGeneration {
		wanted["observedGeneration"] = parent.Generation()
	}
	return wanted, nil
}

func sameJSON(text string, value map[string]any) bool {
	var decoded map[string]any
	return text != "" && utiljson.Unmarshal([]byte(text), &decoded) == nil && reflect.DeepEqual(decoded, value)
}
