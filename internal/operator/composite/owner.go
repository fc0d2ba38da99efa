// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// serverFields are those of the metadata that are the API server's to set. A hook that hands back what it was shown has
// them in its answer.
var serverFields = []string{"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields", "selfLink"}

// own makes what a decider wants what can be applied: owned by the parent, and without what is not for it to say.
func own(d *desired, parent *object.Object) error {
	meta, ok := d.content["metadata"].(map[string]any)
	if !ok {
		return fmt.Errorf("%s has no metadata", d.String())
	}
	for _, name := range serverFields {
		delete(meta, name)
	}
	delete(d.content, "status") // who runs the child writes it
	if d.key.Namespace != "" {
		meta["namespace"] = d.key.Namespace
	}
	references, _ := meta["ownerReferences"].([]any)
	kept := make([]any, 0, len(references)+1)
	for _, each := range references {
		reference, ok := each.(map[string]any)
		if !ok {
			return fmt.Errorf("%s has ownerReferences that are not a list of objects", d.String())
		}
		if reference["uid"] == string(parent.UID()) {
			continue // it was handed back
		}
		if reference["controller"] == true {
			return fmt.Errorf("%s has another controller in its ownerReferences; an object can have only one", d.String())
		}
		kept = append(kept, reference)
	}
	meta["ownerReferences"] = append(kept, map[string]any{
		"apiVersion": parent.APIVersion(), "kind": parent.Kind(), "name": parent.Name(), "uid": string(parent.UID()),
		"controller": true, "blockOwnerDeletion": true,
	})
	return nil
}
