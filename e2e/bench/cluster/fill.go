package main

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
)

const (
	writers    = 16
	objectSize = 1500 // bytes of JSON
)

// fill creates objects by many writers at a time, and returns how long that took.
func fill(ctx context.Context, a *api.Server, objects int) (time.Duration, error) {
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for n := range objects {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error { return a.Create(ctx, widgetsPath, widget(n, objectSize)) })
	}
	err := group.Wait()
	return time.Since(began), err
}
