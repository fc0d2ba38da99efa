// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

const (
	fooPath  = "PATCH /apis/example.com/v1/namespaces/default/foos/a"
	held     = `"finalizers":["x/y","crdctl.dev/demo"]`
	deleting = `"deletionTimestamp":"2026-01-01T00:00:00Z"`
)

// finalizing has a finalize hook, and a child.
func finalizing(answer string) func(*bed) {
	return func(b *bed) {
		b.decider.answers[hook.Finalize] = answer
		b.endpoint(deployments).Answer(nil, child(deployments, "web", `"resourceVersion":"7"`, owned("a", "uid-a")))
	}
}

func TestFinalizerComesFirstAndGoesLast(t *testing.T) {
	for name, c := range map[string]struct {
		parent string
		change func(*bed)
		asked  [2]int // sync, finalize
		wrote  []string
		body   string // of the last write
	}{
		"added first":             {foo("a"), finalizing(`{}`), [2]int{}, []string{fooPath}, `{"metadata":{"finalizers":["crdctl.dev/demo"],"resourceVersion":"1","uid":"uid-a"}}`},
		"beside another":          {foo("a", `"finalizers":["x/y"]`), finalizing(`{}`), [2]int{}, []string{fooPath}, `{"metadata":{"finalizers":["x/y","crdctl.dev/demo"],"resourceVersion":"1","uid":"uid-a"}}`},
		"held":                    {foo("a", held), finalizing(`{}`), [2]int{1, 0}, []string{"DELETE " + webPath}, ""},
		"the hook is gone":        {foo("a", held), func(*bed) {}, [2]int{}, []string{fooPath}, `{"metadata":{"finalizers":["x/y"],"resourceVersion":"1","uid":"uid-a"}}`},
		"gone, and being deleted": {foo("a", held, deleting), func(*bed) {}, [2]int{}, []string{fooPath}, `{"metadata":{"finalizers":["x/y"],"resourceVersion":"1","uid":"uid-a"}}`},
		"deleted, not held":       {foo("a", deleting), finalizing(`{}`), [2]int{}, nil, ""},
		"finalized, with a field": {foo("a", held, deleting), finalizing(`{"finalized":true,"x":1}`), [2]int{0, 1}, []string{fooPath}, ""},
		"not finalized":           {foo("a", held, deleting), finalizing(`{}`), [2]int{0, 1}, []string{"DELETE " + webPath}, ""},
		"finalized":               {foo("a", held, deleting), finalizing(`{"finalized":true}`), [2]int{0, 1}, []string{fooPath}, `{"metadata":{"finalizers":["x/y"],"resourceVersion":"1","uid":"uid-a"}}`},
		// What is refused in a namespace that is being deleted must not keep the finalizer.
		"finalized, with children":     {foo("a", held, deleting), finalizing(`{"finalized":true,"children":[` + bare(deployments, "new") + `]}`), [2]int{0, 1}, []string{fooPath}, ""},
		"children are to be orphaned":  {foo("a", `"finalizers":["orphan","crdctl.dev/demo"]`, deleting), finalizing(`{}`), [2]int{0, 1}, nil, ""},
		"children are being collected": {foo("a", `"finalizers":["foregroundDeletion","crdctl.dev/demo"]`, deleting), finalizing(wants(bare(deployments, "new"))), [2]int{0, 1}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, []Served{deployments}, func(b *bed) {
				within()
				b.expect(c.parent, "")
				if asked := [2]int{b.decider.asked(hook.Sync), b.decider.asked(hook.Finalize)}; asked != c.asked {
					b.Errorf("asked %v, want %v", asked, c.asked)
				}
				writes := b.wrote(name, c.wrote...)
				if c.body != "" && writes[len(writes)-1].Body != c.body {
					b.Errorf("wrote %s\nwant  %s", writes[len(writes)-1].Body, c.body)
				}
			}, c.change)
		})
	}
}

const webPath = "/apis/apps/v1/namespaces/default/deployments/web"

// A hook whose last status is always another one would otherwise never be done: its status makes a new version.
func TestFinalizerGoesAfterAStatusWasWritten(t *testing.T) {
	inBubble(t, []Served{deployments}, func(b *bed) {
		b.respond = func(r operatortest.Request) (int, string) {
			if r.ContentType == "application/json-patch+json" {
				return http.StatusOK, foo("a", `"finalizers":["x/y","crdctl.dev/demo","new/one"]`, deleting, `"resourceVersion":"2"`)
			}
			return 0, ""
		}
		b.expect(foo("a", held, deleting), "")
		want := `{"metadata":{"finalizers":["x/y","new/one"],"resourceVersion":"2","uid":"uid-a"}}`
		assert.Equal(b, want, b.wrote("status, then finalizer", statusPath, fooPath)[1].Body, "wrote")
	}, finalizing(`{"finalized":true,"status":{"gone":1}}`))
}

func TestFinalizersThatCannotBeSet(t *testing.T) {
	for reason, c := range map[string]struct {
		code  int
		later bool
	}{"Conflict": {http.StatusConflict, true}, "Forbidden": {http.StatusForbidden, false}} {
		inBubble(t, []Served{deployments}, func(b *bed) {
			b.respond = func(operatortest.Request) (int, string) { return status(c.code, reason) }
			_, err := b.reconcile(foo("a"))
			expectError(t, err, "set the finalizers of Foo default/a: it says "+reason)
			var later *controller.LaterError
			if errors.As(err, &later) != c.later || c.later && later.After != 0 {
				b.Errorf("%s is put off: %v", reason, later)
			}
			if c.later {
				b.recorded.Expect(t, "the news is on its way")
			}
		}, func(b *bed) { b.decider.answers[hook.Finalize] = `{}` })
	}
	for parent, change := range map[string]func(*bed){
		foo("a", held, deleting): func(b *bed) { b.decider.answers[hook.Finalize] = `{"finalized":true}` },
		foo("a"):                 func(b *bed) { b.decider.answers[hook.Finalize] = `{}` },
		foo("a", held):           func(*bed) {},
	} {
		inBubble(t, []Served{deployments}, func(b *bed) {
			b.respond = func(operatortest.Request) (int, string) { return notFound() }
			b.expect(parent, "") // it has gone already
			b.wrote("one try", fooPath)
			b.recorded.Expect(t, "this is no failure")
		}, change)
	}
}
