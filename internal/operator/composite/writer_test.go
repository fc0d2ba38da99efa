package composite

import (
	"context"
	"errors"
	"testing"

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
			if !errors.Is(err, context.Canceled) {
				b.Errorf("%v", err)
			}
		}
		b.wrote("the claim has ended")
	})
}
