// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
)

// A name that is taken: whose object it is decides.
func TestMayTake(t *testing.T) {
	const exists = "Deployment default/web exists and is not controlled by Foo default/a; delete it or give the child another name"
	const former = "Deployment default/web belongs to a deleted Foo default/a and is not garbage-collected yet"
	for name, c := range map[string]struct {
		owner, err string
		later      bool
	}{
		"nobody's":                      {owner: `"labels":{}`, err: exists},
		"another Foo's":                 {owner: owned("b", "uid-b"), err: exists},
		"a Bar's of the same name":      {owner: ownedBy("example.com/v1", "Bar", "a", "uid-x"), err: exists},
		"a Foo's of another group":      {owner: ownedBy("example.org/v1", "Foo", "a", "uid-x"), err: exists},
		"a former Foo's":                {owner: owned("a", "uid-old"), err: former, later: true},
		"a former Foo's of old version": {owner: ownedBy("example.com/v1alpha1", "Foo", "a", "uid-old"), err: former, later: true},
		"its own, and new":              {owner: owned("a", "uid-a")},
	} {
		for _, cached := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				inBubble(t, []Served{deployments}, func(b *bed) {
					there := child(deployments, "web", `"resourceVersion":"1"`, c.owner)
					if cached {
						b.endpoint(deployments).Answer(nil, there)
						within()
					}
					b.answer(http.MethodGet, "/namespaces/default/deployments/web", http.StatusOK, there)
					b.decider.answers[hook.Sync] = wants(bare(deployments, "web"))
					_, err := b.reconcile(foo("a"))
					expectError(t, err, c.err)
					var later *controller.LaterError
					if errors.As(err, &later) != c.later || c.later && later.After != time.Second {
						b.Errorf("put off: %v", later)
					}
					switch {
					case c.later:
						b.wrote("not its own")
						b.recorded.Expect(t, "it goes by itself")
					case c.err != "":
						b.wrote("not its own")
						b.recorded.Expect(t, "the user has to act", "Warning ErrResourceExists: "+exists, "Warning SyncError: "+exists)
					default:
						b.wrote("its own", "PATCH "+b.pathOf(deployments, "web"))
					}
				})
			})
		}
	}
}

func TestMayTakeWhenTheAPIServerDoesNotSay(t *testing.T) {
	inBubble(t, []Served{deployments}, func(b *bed) {
		b.refuse(http.MethodGet, "/web", http.StatusForbidden, "Forbidden")
		b.decider.answers[hook.Sync] = wants(bare(deployments, "web"), bare(deployments, "db"))
		b.expect(foo("a"), "look for Deployment default/web: it says Forbidden")
		b.wrote("the other child", "PATCH "+b.pathOf(deployments, "db"))
	})
}
