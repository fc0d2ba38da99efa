// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
	"github.com/crdctl/crdctl/internal/trace"
)

// decisions reconciles, and returns what was decided.
func (b *bed) decisions(text string) (all []string) {
	b.Helper()
	records, o := operatortest.NewRecords(), b.parent(text)
	timed, queue := pipeline.New(records, "").Queue("foos", workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName](), workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{})
	defer timed.ShutDown()
	ctx := pipeline.With(b.Context(), queue.Begin(o.Key(), o))
	_, _ = b.reconciler.Reconcile(ctx, controller.Request{Kind: b.handle.Kind, Key: o.Key(), Object: o}) // what was decided before an error counts
	for _, d := range operatortest.RecordsOf[*trace.Decision](records) {
		all = append(all, d.Child+": "+d.Action+", "+d.Why)
	}
	return all
}

func TestDecisionsAreRecordedWithTheirReason(t *testing.T) {
	const m, noStatus = "ConfigMap default/m: ", "status: none, the answer has none"
	inBubble(t, []Served{configMaps}, func(b *bed) {
		applied := b.settled(configMaps, "5", 0)
		assert.Equal(t, []string{m + "none, same as last applied", noStatus}, b.decisions(foo("a")))
		b.endpoint(configMaps).Send("MODIFIED", strings.Replace(strings.Replace(applied, `"5"`, `"7"`, 1), `"kind"`, `"data":{"by":"hand"},"kind"`, 1))
		within()
		assert.Equal(t, []string{m + "update, another writer changed it", noStatus}, b.decisions(foo("a")))
		b.decider.answers[hook.Sync] = `{"status":{"ready":true},"children":[` + strings.Replace(bare(configMaps, "m"), `"kind"`, `"data":{"by":"hook"},"kind"`, 1) + `]}`
		assert.Equal(t, []string{m + "update, the answer changed", "status: update, the answer differs from what it is"}, b.decisions(foo("a")))
		b.refuse(http.MethodPatch, "/configmaps/n", http.StatusForbidden, "Forbidden")
		b.decider.answers[hook.Sync] = wants(bare(configMaps, "n"))
		assert.Equal(t, []string{"ConfigMap default/n: apply, failed", m + "none, not deleted until all others are applied", noStatus}, b.decisions(foo("a")))
		b.decider.answers[hook.Sync] = `{"children":[]}`
		assert.Equal(t, []string{m + "delete, the answer does not have it", noStatus}, b.decisions(foo("a")))
		b.endpoint(configMaps).Send("MODIFIED", strings.Replace(strings.Replace(applied, `"5"`, `"8"`, 1), `"name":"m"`, `"name":"m","deletionTimestamp":"2026-11-21T00:00:00Z"`, 1))
		within()
		assert.Equal(t, []string{m + "none, is being deleted", noStatus}, b.decisions(foo("a")))
		b.decider.answers[hook.Sync] = wants(bare(configMaps, "m"))
		assert.Equal(t, []string{m + "none, is being deleted", noStatus}, b.decisions(foo("a")))
	})
}

func TestAnObjectOfAnotherIsRecordedAsSuch(t *testing.T) {
	inBubble(t, []Served{configMaps}, func(b *bed) {
		b.decider.answers[hook.Sync] = wants(bare(configMaps, "m"))
		b.answer(http.MethodGet, "/configmaps/m", http.StatusOK, child(configMaps, "m", `"resourceVersion":"3"`))
		assert.Equal(t, []string{"ConfigMap default/m: none, is not this object's, or that could not be found out", "status: none, the answer has none"}, b.decisions(foo("a")))
	})
}
