// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"
)

// ended is the context of a claim that has ended, in a process that has not been told yet.
type ended struct{ context.Context }

func (ended) Err() error { return context.Canceled }

func TestNothingIsWrittenAfterTheEndOfAClaim(t *testing.T) {
	inBubble(t, []Served{deployments}, func(b *bed) {
		ctx, o := ended{b.Context()}, b.parent(foo("a"))
		_, _, applied := b.reconciler.writer.apply(ctx, deployments, o.Key(), []byte(`{}`))
		_, patched := b.reconciler.writer.patch(ctx, deployments, o.Key(), types.MergePatchType, map[string]any{})
		for _, err := range []error{applied, patched, b.reconciler.writer.delete(ctx, deployments, o)} {
			assert.ErrorIs(b, err, context.Canceled)
		}
		b.wrote("the claim has ended")
	})
}
