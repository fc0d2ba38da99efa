// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
)

func TestAHookThatAsksForTimeIsGivenIt(t *testing.T) {
	inBubble(t, nil, func(b *bed) {
		b.decider.err = &hook.RetryAfterError{After: 7 * time.Second, Err: errors.New("busy")}
		_, err := b.reconcile(foo("a"))
		var later *controller.LaterError
		require.ErrorAs(b, err, &later)
		assert.Equal(b, 7*time.Second, later.After)
		b.recorded.Expect(t, "this is no failure")
	})
}

func TestFailuresAreRecordedUnlessTheLoopEnds(t *testing.T) {
	inBubble(t, nil, func(b *bed) {
		b.decider.err = errors.New("exit status 1")
		b.expect(foo("a"), "sync hook: exit status 1")
		b.recorded.Expect(t, "a failure", "Warning SyncError: sync hook: exit status 1")
		ended, end := context.WithCancel(b.Context())
		end()
		o := b.parent(foo("a"))
		_, err := b.reconciler.Reconcile(ended, controller.Request{Kind: foos, Key: o.Key(), Object: o})
		assert.Error(b, err)
		b.recorded.Expect(t, "the end of the loop")
	})
}
