// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/e2e/internal/harness/faultproxy"
)

// deleteAtOnce deletes with the usual propagation.
var deleteAtOnce = metav1.DeleteOptions{}

// conflicts has another writer be faster with the object that gets a finalizer, overwrite status and children, and the API
// server say that it was so.
func (r *trusted) conflicts() {
	proxy := r.proxy()
	loop := r.runLoop(proxy.kubeconfig, "--hook-persistent", "--finalize-hook", r.hook)
	all := names(30)
	r.setAll("zero", all[0]) // it has the process of the hook started
	r.reconciled()
	before := loop.spends()

	// Each write is refused once in a while, and each object written to while it gets its finalizer.
	n := 0
	var mu sync.Mutex
	third := func(q *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		n++
		return isWrite(q) && strings.Contains(q.URL.Path, "/thing-") && n%3 == 0
	}
	conflict := proxy.Inject(-1, third, faultproxy.Refuse(http.StatusConflict, "Conflict"))
	r.setAll("first", all...)
	for round := range 3 {
		r.disturb(fmt.Sprint(round), all...)
	}
	assert.GreaterOrEqual(r, conflict.Count(), 20, "writes were refused")
	conflict.End()
	r.reconciled()
	assert.NotContains(r, loop.text(), "Reconcile failed", "a conflict is not a failure: another writer was faster")

	// Finalizers were set in spite of it all, the other writer's are left alone, and both go.
	finalizer := `{"metadata":{"finalizers":["example.com/other","crdctl.dev/%s"]}}`
	_, err := r.things().Patch(r.Context(), all[0], types.MergePatchType, fmt.Appendf(nil, finalizer, r.finalizerName(all[0])), metav1.PatchOptions{})
	r.check(err)
	for _, name := range all {
		r.check(r.things().Delete(r.Context(), name, deleteAtOnce))
	}
	r.until("one object is left, with the other's finalizer", func() bool {
		list, err := r.things().List(r.Context(), metav1.ListOptions{})
		r.check(err)
		return len(list.Items) == 1 && strings.Join(list.Items[0].GetFinalizers(), " ") == "example.com/other"
	})
	_, err = r.things().Patch(r.Context(), all[0], types.MergePatchType, []byte(`{"metadata":{"finalizers":[]}}`), metav1.PatchOptions{})
	r.check(err)
	r.reconciled()
	loop.isAsBefore(before, 64)
	loop.ends()
}

func (r *trusted) finalizerName(name string) string {
	r.Helper()
	o, err := r.things().Get(r.Context(), name, metav1.GetOptions{})
	r.check(err)
	for _, f := range o.GetFinalizers() {
		if own, ok := strings.CutPrefix(f, "crdctl.dev/"); ok {
			return own
		}
	}
	r.Fatalf("%s has no finalizer of crdctl's, but %v", name, o.GetFinalizers())
	return ""
}

// disturb changes the spec, the labels, the status and the children of objects, at the same time as the loop.
func (r *trusted) disturb(value string, all ...string) {
	r.Helper()
	var writers sync.WaitGroup
	writers.Go(func() { r.setAll("value-"+value, all...) })
	writers.Go(func() {
		for _, name := range all {
			label := fmt.Appendf(nil, `{"metadata":{"labels":{"disturbed":%q}}}`, value)
			_, err := r.things().Patch(r.Context(), name, types.MergePatchType, label, metav1.PatchOptions{})
			assert.NoError(r, err, "label %s", name)
			status := []byte(`{"status":{"value":"another's","more":true}}`)
			_, err = r.things().Patch(r.Context(), name, types.MergePatchType, status, metav1.PatchOptions{}, "status")
			assert.NoError(r, err, "write the status of %s", name)
		}
	})
	writers.Go(func() {
		for _, name := range all {
			// There may be none yet: then there is nothing to disturb.
			_, _ = r.core.CoreV1().ConfigMaps(r.namespace).Patch(r.Context(), name+"-0", types.MergePatchType, []byte(`{"data":{"first":"another's"}}`), metav1.PatchOptions{})
		}
	})
	writers.Wait()
}
