// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// crdAgain deletes the CRD with its objects, and makes it again: children go with their parents, and come again with them. The same loop's
// other kind goes on meanwhile.
func (r *trusted) crdAgain() {
	other := r.otherKind()
	loop := r.runLoop(r.kubeconfig, "--finalize-hook", r.hook, "-f", other.crd, "--namespace", other.namespace)
	all := names(10)
	r.setAll("first", all...)
	r.reconciled()
	other.setAll("first", all...)
	other.reconciled()
	before := loop.spends()
	kubectl := func(args ...string) string {
		r.Helper()
		return r.run(r.dir, crdctl, append([]string{"kubectl", "--kubeconfig", r.kubeconfig}, args...)...)
	}
	crd, uids := "crd/things."+r.group, map[string]bool{}
	for round := range 2 {
		uids[kubectl("get", crd, "-o", "jsonpath={.metadata.uid}")] = true
		kubectl("delete", crd, "--timeout=100s")
		loop.waitFor("customresourcedefinition things." + r.group + " was deleted; waiting for it")
		r.until("the children are gone", func() bool {
			maps, err := r.core.CoreV1().ConfigMaps(r.namespace).List(r.Context(), metav1.ListOptions{})
			r.check(err)
			for _, m := range maps.Items {
				if strings.HasPrefix(m.Name, "thing-") {
					return false
				}
			}
			return true
		})
		r.until("no objects are in memory", func() bool { return loop.metric(`crdctl_loop_cache_objects{kind="things.`+r.group+`"}`) == 0 })
		for n := range 3 {
			other.setAll(fmt.Sprintf("gone %d %d", round, n), all...) // with one that was not there
			other.reconciled(all...)
			other.check(other.things().Delete(other.Context(), all[n], deleteAtOnce))
			other.until("it is finalized, and its child goes", func() bool { return other.has(len(all) - 1) })
			other.reconciled()
		}

		kubectl("apply", "-f", r.crd)
		kubectl("wait", "--for=condition=Established", crd, "--timeout=60s")
		loop.waitFor("customresourcedefinition things." + r.group + " is installed")
		// The API server answers 404 or 405 for a moment after a CRD was established.
		r.until("objects can be made", func() bool { return r.set(all[0], "first") == nil })
		r.setAll("first", all...) // the same as before: what was remembered of the ones before must not count
		r.reconciled()
		r.setAll("second", all...)
		other.setAll("second", all...)
		r.reconciled()
		other.reconciled()
	}
	assert.Len(r, uids, 2, "the CRDs had the UIDs")
	loop.isAsBefore(before, 64)
	loop.ends()
}

// otherKind is another kind Thing, in another group and namespace.
func (r *trusted) otherKind() *trusted {
	r.Helper()
	other := *r
	other.group, other.namespace, other.crd = "other."+r.group, "other-"+r.namespace, filepath.Join(r.dir, "other.yaml")
	other.write(other.crd, fmt.Sprintf(thingCRD, other.group))
	other.use(r.kubeconfig)
	return &other
}

// has reports whether there are n objects.
func (r *trusted) has(n int) bool {
	r.Helper()
	list, err := r.things().List(r.Context(), metav1.ListOptions{})
	r.check(err)
	return len(list.Items) == n
}
