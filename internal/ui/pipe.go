// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// ErrOutputClosed is why a run ends whose output has no reader any more.
var ErrOutputClosed = errors.New("the standard output or error was closed, so the run ended")

// OutlivePipe returns a context that ends when the standard output or error turns out to be a pipe without a reader. By
// default Go has SIGPIPE kill the process then, which would be in the middle of an orderly end: at Ctrl-C, "crdctl run | tee log"
// loses tee first. From here on, and until the process ends, such writes merely fail.
func OutlivePipe(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	go func() {
		for {
			select {
			case <-broken:
				if outputIsBroken() {
					cancel(ErrOutputClosed)
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
