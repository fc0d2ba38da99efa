// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/hook"
)

// show previews a Foo, and checks that nothing was written for it.
func (b *bed) show(text string) (*Preview, error) {
	b.Helper()
	var content map[string]any
	require.NoError(b, json.Unmarshal([]byte(text), &content))
	b.api.Asked()
	p, err := Show(b.Context(), b.options, b.handle, "foo.yaml", content)
	asked := b.api.Asked()
	for _, r := range asked {
		if r.Method != http.MethodGet && r.Query.Get("dryRun") != "All" {
			b.Errorf("%s %s was no try", r.Method, r.Path)
		}
	}
	assert.NotEmpty(b, asked, "the API server was not asked")
	return p, err
}

// whats are the changes: + for what would be created, - for what would go.
func whats(p *Preview) (all []string) {
	for _, c := range p.Changes {
		sign := "~"
		if c.Before == nil {
			sign = "+"
		}
		if c.After == nil {
			sign = "-"
		}
		all = append(all, sign+" "+c.What)
	}
	return all
}

func expectWhats(t *testing.T, p *Preview, want ...string) {
	t.Helper()
	assert.Equal(t, want, whats(p))
}

// listing has the API server list children, which a preview asks for in the namespace of its parent.
func listing(b *bed) {
	b.api.At("/apis/apps/v1/namespaces/default/deployments").Answer(nil,
		child(deployments, "old", `"resourceVersion":"7"`, owned("a", "uid-a")), child(deployments, "web", `"resourceVersion":"7"`, owned("a", "uid-a")),
		child(deployments, "free", `"resourceVersion":"7"`))
}

func TestPreviewWritesNothing(t *testing.T) {
	inBubble(t, []Served{deployments}, func(b *bed) {
		b.decider.answers[hook.Sync] = `{"status":{"n":1},"resyncAfterSeconds":2,"events":[{"reason":"R"}],"children":[` + bare(deployments, "web") + "," + bare(deployments, "new") + `]}`
		p, err := b.show(foo("a", `{"status":{"n":0}}`))
		expectError(t, err, "")
		expectWhats(t, p, "- Deployment default/old", "~ Deployment default/web", "+ Deployment default/new", "~ status of Foo default/a")
		if p.ResyncAfter != 2*time.Second || len(p.Events) != 1 || p.Finalized {
			b.Errorf("%+v", p)
		}
	}, listing)
}

// A change that is refused must not look like a removal.
func TestPreviewOfWhatIsRefused(t *testing.T) {
	inBubble(t, []Served{deployments}, func(b *bed) {
		b.refuse(http.MethodPatch, "/web", http.StatusUnprocessableEntity, "Invalid")
		b.decider.answers[hook.Sync] = wants(bare(deployments, "web"), bare(deployments, "old"))
		p, err := b.show(foo("a"))
		expectError(t, err, "apply Deployment default/web: it says Invalid")
		expectWhats(t, p, "~ Deployment default/old")
	}, listing)
}

// gone is a Foo that is being deleted in the API server.
func gone(finalizers string) func(*bed) {
	return func(b *bed) { b.answer(http.MethodPatch, "/foos/a", http.StatusOK, foo("a", deleting, finalizers)) }
}

func TestPreviewOfAnObjectThatIsBeingDeleted(t *testing.T) {
	inBubble(t, []Served{deployments}, func(b *bed) {
		p, err := b.show(foo("a"))
		expectError(t, err, "")
		expectWhats(t, p)
		assert.Zero(b, len(b.decider.calls), "a hook was asked that there is not")
	}, listing, gone(`"finalizers":["x/y"]`))
	inBubble(t, []Served{deployments}, func(b *bed) {
		p, err := b.show(foo("a"))
		expectError(t, err, "")
		expectWhats(t, p)
		assert.True(b, p.Finalized, "the finalizer would stay")
	}, listing, gone(held), func(b *bed) { b.decider.answers[hook.Finalize] = `{"finalized":true}` })
}
