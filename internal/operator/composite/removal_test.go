// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

func TestChildrenThatAreNotWantedAreRemoved(t *testing.T) {
	inBubble(t, []Served{deployments}, func(b *bed) {
		b.endpoint(deployments).Answer(nil,
			child(deployments, "old", `"resourceVersion":"7"`, owned("a", "uid-a")),
			child(deployments, "going", `"resourceVersion":"7","deletionTimestamp":"2026-01-01T00:00:00Z"`, owned("a", "uid-a")),
			child(deployments, "leaving", `"resourceVersion":"7","deletionTimestamp":"2026-01-01T00:00:00Z"`, owned("a", "uid-a")),
			child(deployments, "others", `"resourceVersion":"7"`, owned("b", "uid-b")),
			child(deployments, "former", `"resourceVersion":"7"`, owned("a", "uid-old")),
			child(deployments, "free", `"resourceVersion":"7"`))
		within()
		b.decider.answers[hook.Sync] = wants(bare(deployments, "going"))
		if result, err := b.reconcile(foo("a")); err != nil || result.Quiet {
			b.Error(result, err)
		}
		request := b.wrote("one is not wanted", "DELETE "+b.pathOf(deployments, "old"))[0]
		want := `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"uid-old","resourceVersion":"7"},"propagationPolicy":"Background"}`
		assert.Equal(b, want, request.Body, "asked")
	})
}

// A child that could not be deleted is an error, whatever the reason: without one the removal would not be tried again. One that has gone is none.
func TestRemovalsThatFail(t *testing.T) {
	for reason, c := range map[string]struct {
		code int
		err  string
	}{
		"NotFound":  {code: http.StatusNotFound},
		"Conflict":  {code: http.StatusConflict, err: "delete Deployment default/old: it says Conflict"}, // it is looked at again
		"Forbidden": {code: http.StatusForbidden, err: "delete Deployment default/old: it says Forbidden"},
	} {
		inBubble(t, []Served{deployments}, func(b *bed) {
			b.endpoint(deployments).Answer(nil, child(deployments, "old", `"resourceVersion":"7"`, owned("a", "uid-a")))
			within()
			b.refuse(http.MethodDelete, "", c.code, reason)
			b.decider.answers[hook.Sync] = `{"status":{"n":1},"children":[` + bare(deployments, "new") + `]}`
			_, err := b.reconcile(foo("a"))
			expectError(t, err, c.err)
			assert.Equal(b, c.code == http.StatusConflict, apierrors.IsConflict(err), "%s: %v", reason, err)
			b.wrote("the rest is done", "PATCH "+b.pathOf(deployments, "new"), "DELETE "+b.pathOf(deployments, "old"), "PATCH /apis/example.com/v1/namespaces/default/foos/a/status")
		})
	}
}

// The same object, seen in two versions of its kind, is one child.
func TestAKindInTwoVersionsIsOneObject(t *testing.T) {
	beta := Served{Resource: schema.GroupVersionResource{Group: "apps", Version: "v1beta1", Resource: "deployments"}, Kind: "Deployment", Namespaced: true}
	inBubble(t, []Served{deployments, beta}, func(b *bed) {
		there := child(deployments, "web", `"resourceVersion":"7"`, owned("a", "uid-a"))
		b.endpoint(deployments).Answer(nil, there)
		b.endpoint(beta).Answer(nil, strings.Replace(there, "apps/v1", "apps/v1beta1", 1))
		within()
		b.decider.answers[hook.Sync] = wants(bare(deployments, "web"))
		b.expect(foo("a"), "")
		b.wrote("wanted in one of its versions", "PATCH "+b.pathOf(deployments, "web"))
		b.decider.answers[hook.Sync] = wants(bare(deployments, "web"), bare(beta, "web"))
		b.expect(foo("a"), "children[1]: Deployment default/web is in the list already; each child must be there once")
	})
}

func TestParentsOfAChangedChildAreReconciled(t *testing.T) {
	inBubble(t, []Served{deployments}, func(b *bed) {
		b.parent(foo("a"))
		b.parent(foo("b"))
		send := func(kind, owner string) {
			b.endpoint(deployments).Send(kind, child(deployments, "web", owner))
			within()
		}
		send("ADDED", `"resourceVersion":"1",`+owned("a", "uid-a"))
		b.enqueued.Expect(t, "new", "default/a child")
		send("MODIFIED", `"resourceVersion":"2",`+owned("b", "uid-b"))
		b.enqueued.Expect(t, "handed over", "default/a child", "default/b child")
		send("MODIFIED", `"resourceVersion":"3",`+owned("x", "uid-x"))
		b.enqueued.Expect(t, "taken by an unknown owner", "default/b child")
		send("DELETED", `"resourceVersion":"4",`+owned("x", "uid-x"))
		b.enqueued.Expect(t, "gone")
	})
}

func TestAFailureIsNotHiddenByAConflict(t *testing.T) {
	inBubble(t, []Served{deployments}, func(b *bed) {
		b.respond = func(r operatortest.Request) (int, string) {
			switch {
			case r.Method == http.MethodPatch && strings.HasSuffix(r.Path, "/old"):
				return status(http.StatusConflict, "Conflict")
			case r.Method == http.MethodPatch:
				return status(http.StatusForbidden, "Forbidden")
			}
			return 0, ""
		}
		b.decider.answers[hook.Sync] = wants(bare(deployments, "old"), bare(deployments, "new"))
		const both = "apply Deployment default/old: it says Conflict\napply Deployment default/new: it says Forbidden"
		_, err := b.reconcile(foo("a"))
		expectError(t, err, both)
		after, only := controller.PutOff(err)
		assert.False(b, only, "put off for %s", after)
		b.recorded.Expect(t, "the user has to act", "Warning SyncError: "+both)
	})
}
