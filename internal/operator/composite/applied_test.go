// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"k8s.io/client-go/tools/cache"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// settled has a child applied, and the cache know what came of it.
func (b *bed) settled(kind Served, version string, generation int) (applied string) {
	b.Helper()
	b.respond = func(r operatortest.Request) (int, string) {
		if r.ContentType == "application/apply-patch+yaml" {
			return http.StatusOK, stored(r.Body, version, generation)
		}
		return 0, ""
	}
	b.decider.answers[hook.Sync] = wants(bare(kind, "m"))
	if result, err := b.reconcile(foo("a")); err != nil || result.Quiet {
		b.Fatal(result, err)
	}
	applied = stored(b.wrote("at first", "PATCH "+b.pathOf(kind, "m"))[0].Body, version, generation)
	b.endpoint(kind).Send("ADDED", applied)
	within()
	b.again("what is as it was left")
	return applied
}

// again reconciles, and expects a child to be applied or not.
func (b *bed) again(when string, want ...string) {
	b.Helper()
	result, err := b.reconcile(foo("a"))
	assert.NoError(b, err)
	if len(want) == 0 && !result.Quiet {
		b.Errorf("%s: not quiet, with nothing done", when)
	}
	b.wrote(when, want...)
}

func (b *bed) pathOf(kind Served, name string) string {
	return strings.Join(pathOf(kind, cache.ObjectName{Namespace: "default", Name: name}), "/")
}

func TestWholeChildrenAreAppliedWhenTheyOrTheHookChange(t *testing.T) {
	inBubble(t, []Served{configMaps}, func(b *bed) {
		applied := b.settled(configMaps, "5", 0)
		patch := "PATCH " + b.pathOf(configMaps, "m")
		b.endpoint(configMaps).Send("MODIFIED", strings.Replace(strings.Replace(applied, `"5"`, `"6"`, 1), `"kind"`, `"status":{"ready":true},"kind"`, 1))
		within()
		b.again("its status changed")
		b.endpoint(configMaps).Send("MODIFIED", strings.Replace(strings.Replace(applied, `"5"`, `"7"`, 1), `"kind"`, `"data":{"by":"hand"},"kind"`, 1))
		within()
		b.again("it was changed by hand", patch)
		b.endpoint(configMaps).Send("MODIFIED", applied)
		within()
		b.again("it is as it was")
		b.decider.answers[hook.Sync] = wants(strings.Replace(bare(configMaps, "m"), `"kind"`, `"data":{"by":"hook"},"kind"`, 1))
		b.again("the hook wants another one", patch)
		b.decider.answers[hook.Sync] = wants(bare(configMaps, "m"))
		b.again("the hook wants the former one", patch)
	})
}

func TestBareChildrenAreAppliedWhenTheirGenerationChanges(t *testing.T) {
	inBubble(t, []Served{deployments, configMaps}, func(b *bed) {
		applied := b.settled(deployments, "5", 3)
		b.endpoint(deployments).Send("MODIFIED", strings.Replace(applied, `"5"`, `"6"`, 1))
		within()
		b.again("its status changed")
		b.endpoint(deployments).Send("MODIFIED", strings.Replace(strings.Replace(applied, `"5"`, `"7"`, 1), `"generation":3`, `"generation":4`, 1))
		within()
		b.again("it was changed by hand", "PATCH "+b.pathOf(deployments, "m"))
	}, readsNoChildren)
}

func TestBareChildrenWithoutGenerationAreAppliedWhenTheirVersionChanges(t *testing.T) {
	inBubble(t, []Served{configMaps}, func(b *bed) {
		applied := b.settled(configMaps, "5", 0)
		b.endpoint(configMaps).Send("MODIFIED", strings.Replace(applied, `"5"`, `"6"`, 1))
		within()
		b.again("it has another version", "PATCH "+b.pathOf(configMaps, "m"))
	}, readsNoChildren)
}

func readsNoChildren(b *bed) { b.options.ReadsChildren = false }

func TestMemoryIsForgottenWithTheParent(t *testing.T) {
	inBubble(t, []Served{configMaps}, func(b *bed) {
		b.settled(configMaps, "5", 0)
		if m := b.reconciler.memory; len(m.sums) != 1 || len(m.of) != 1 {
			b.Errorf("%d sums of %d parents", len(m.sums), len(m.of))
		}
		if result, err := b.reconciler.Reconcile(b.Context(), controller.Request{Kind: foos, Key: cache.ObjectName{Namespace: "default", Name: "a"}}); err != nil || !result.Quiet {
			b.Error(result, err)
		}
		m := b.reconciler.memory
		assert.Zero(b, len(m.sums)+len(m.of), "%d sums of %d parents that are gone", len(m.sums), len(m.of))
	})
}

// A parent like a CronJob has ever new children.
func TestMemoryOfAParentIsBounded(t *testing.T) {
	inBubble(t, []Served{configMaps}, func(b *bed) {
		for i := range 50 {
			b.decider.answers[hook.Sync] = fmt.Sprintf(`{"status":{"n":%d},"children":[%s,%s]}`, i, bare(configMaps, fmt.Sprint("m", i)), bare(configMaps, fmt.Sprint("m", i+1)))
			b.expect(foo("a"), "")
		}
		m := b.reconciler.memory
		if owner := m.sum("parent", "default", "a"); len(m.sums) != 3 || len(m.of) != 1 || len(m.of[owner]) != 3 {
			b.Errorf("%d sums, and %d of the parent; there are two children and a status", len(m.sums), len(m.of[owner]))
		}
	})
}
