// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// Another writer changes a child back each time that it is applied, as fast as it can: it is restored ten times, and then twice a minute; the
// log and an event say so once, with the other's name.
func TestContestedChildIsBackedOff(t *testing.T) {
	inBubble(t, []Served{configMaps}, func(b *bed) {
		version := 5
		applied := b.settled(configMaps, "5", 0)
		b.respond = func(r operatortest.Request) (int, string) {
			switch {
			case r.ContentType == "application/apply-patch+yaml":
				version++
				return http.StatusOK, stored(r.Body, strconv.Itoa(version), 0)
			case r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/m"):
				return http.StatusOK, `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"m","managedFields":[{"manager":"demo"},{"manager":"bb"}]}}`
			}
			return 0, ""
		}
		spoil := func() {
			version++
			text := strings.Replace(strings.Replace(applied, `"5"`, strconv.Quote(strconv.Itoa(version)), 1), `"kind"`, `"data":{"by":"bb"},"kind"`, 1)
			b.endpoint(configMaps).Send("MODIFIED", text)
			synctest.Wait()
		}
		fight := func(rounds int) (applies int) {
			for range rounds {
				spoil()
				_, err := b.reconcile(foo("a"))
				if after, later := controller.PutOff(err); err != nil && (!later || after <= 0 || after > contestEvery) {
					t.Fatal(err)
				}
			}
			for _, r := range b.api.Asked() {
				if r.Method == http.MethodPatch {
					applies++
				}
			}
			return applies
		}
		assert.Equal(t, contestBurst, fight(100))
		for range 3 {
			time.Sleep(contestEvery)
			assert.Equal(t, 1, fight(100), "applied: %s, want once", contestEvery)
		}
		assert.Equal(t, 1, b.log.Count("Child contested by another writer; backing off kind=Foo key=default/a child=ConfigMap default/m otherManagers=[bb] "), "%q", b.log.Said())
		assert.Equal(t, 1, strings.Count(strings.Join(b.recorded.All(), "\n"), "Warning ChildContested: "), "%q", b.recorded.All())
		// What the hook wants anew is applied at once, and a contest that is over is forgotten.
		b.decider.answers[hook.Sync] = wants(strings.Replace(bare(configMaps, "m"), `"kind"`, `"data":{"by":"hook"},"kind"`, 1))
		assert.Equal(t, 1, fight(1), "a new wish was applied: times")
		time.Sleep(contestBurst * contestEvery)
		assert.Equal(t, contestBurst/2, fight(contestBurst/2), "applied: times after a long rest")
		b.decider.answers[hook.Sync] = `{"children":[]}`
		b.respond = nil
		b.expect(foo("a"), "")
		assert.Empty(t, b.reconciler.memory.contests, "a contest about a child that is gone is remembered")
	})
}

// A child that takes the place of another one is applied first; if that fails, the other stays.
func TestUnwantedChildrenStayUntilTheOthersAreApplied(t *testing.T) {
	inBubble(t, []Served{configMaps}, func(b *bed) {
		b.settled(configMaps, "5", 0)
		patch, remove := "PATCH "+b.pathOf(configMaps, "n"), "DELETE "+b.pathOf(configMaps, "m")
		b.refuse(http.MethodPatch, "", http.StatusUnprocessableEntity, "Invalid")
		b.decider.answers[hook.Sync] = wants(bare(configMaps, "n"))
		b.expect(foo("a"), "apply ConfigMap default/n: it says Invalid; no child is deleted until all others are applied")
		b.wrote("the new child is refused", patch)
		b.respond = nil
		b.expect(foo("a"), "")
		b.wrote("the new child is accepted", patch, remove)
		assert.Equal(t, 1, b.log.Count("Child deleted kind=Foo key=default/a child=ConfigMap default/m"), "%q", b.log.Said())
	})
}
