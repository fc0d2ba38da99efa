// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// things are the objects of the row.
func (r *trusted) things() dynamic.ResourceInterface {
	return r.client.Resource(schema.GroupVersionResource{Group: r.group, Version: "v1", Resource: "things"}).Namespace(r.namespace)
}

// set gives an object a value, and makes it if it does not exist.
func (r *trusted) set(name, value string) error {
	patch := fmt.Sprintf(`{"spec":{"value":%q}}`, value)
	_, err := r.things().Patch(r.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if !apierrors.IsNotFound(err) {
		return err
	}
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": r.group + "/v1", "kind": "Thing",
		"metadata": map[string]any{"name": name}, "spec": map[string]any{"value": value, "children": int64(r.children)}}}
	_, err = r.things().Create(r.Context(), o, metav1.CreateOptions{})
	return err
}

// names are n names of objects.
func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("thing-%d", i)
	}
	return all
}

// setAll gives all of them a value, with four writers.
func (r *trusted) setAll(value string, all ...string) {
	r.Helper()
	work := make(chan string)
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for name := range work {
				assert.NoError(r, r.set(name, value), "set %s", name)
			}
		})
	}
	for _, name := range all {
		work <- name
	}
	close(work)
	writers.Wait()
}

// reconciled waits until these objects, and where none is named all that there are, have in their status and in their children what is in
// their spec.
func (r *trusted) reconciled(only ...string) {
	r.Helper()
	var wrong string
	r.until("all is as it should be", func() bool {
		var err error
		if wrong, err = r.wrong(only...); err != nil {
			wrong = err.Error()
		}
		return wrong == ""
	}, func() string { return wrong })
}

// wrong is what of the objects is not as the hook wants it.
func (r *trusted) wrong(only ...string) (string, error) {
	things, err := r.things().List(r.Context(), metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	maps, err := r.core.CoreV1().ConfigMaps(r.namespace).List(r.Context(), metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	children := map[types.UID][]corev1.ConfigMap{}
	total := 0
	for _, m := range maps.Items {
		if owner := metav1.GetControllerOf(&m); owner != nil {
			children[owner.UID] = append(children[owner.UID], m)
			total++
		}
	}
	wanted := map[string]bool{}
	for _, name := range only {
		wanted[name] = true
	}
	for _, thing := range things.Items {
		if len(only) > 0 && !wanted[thing.GetName()] {
			continue
		}
		delete(wanted, thing.GetName())
		total -= len(children[thing.GetUID()])
		if wrong := r.wrongThing(&thing, children[thing.GetUID()]); wrong != "" {
			return wrong, nil
		}
	}
	switch {
	case len(wanted) > 0:
		return fmt.Sprintf("%d objects are not there", len(wanted)), nil
	case len(only) == 0 && total != 0:
		return fmt.Sprintf("%d children have no parent", total), nil
	}
	return "", nil
}

func (r *trusted) wrongThing(thing *unstructured.Unstructured, children []corev1.ConfigMap) string {
	value, _, _ := unstructured.NestedString(thing.Object, "spec", "value")
	status, _ := json.Marshal(thing.Object["status"])
	if want, _ := json.Marshal(map[string]string{"value": value}); string(status) != string(want) {
		return fmt.Sprintf("the status of %s is %s, want %s", thing.GetName(), status, want)
	}
	if len(children) != r.children {
		return fmt.Sprintf("%s has %d children, want %d", thing.GetName(), len(children), r.children)
	}
	for _, m := range children {
		if len(m.Data) != 2 || m.Data["first"] != value || m.Data["second"] != value {
			return fmt.Sprintf("%s has %v, want %s", m.Name, m.Data, value)
		}
	}
	return ""
}
