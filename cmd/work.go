package cmd

import (
	"context"

	"github.com/crdctl/crdctl/internal/ui"
)

// showWork shows on the error stream that work goes on, should it take long: the go command may download modules, or build
// generators of another version. Done must be called before anything else is printed.
func (s Streams) showWork(ctx context.Context, what string) (_ context.Context, done func()) {
	return ui.On(s.Err).Show(ctx, what)
}
