package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// withSignals returns a context that ends on the first SIGINT or SIGTERM. The second leaves the process at once:
// whoever presses Ctrl-C twice does not want to wait for an orderly end.
func withSignals(parent context.Context, w io.Writer, exit func(int)) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
			cancel()
		case <-done:
			return
		}
		select {
		case <-signals:
			_, _ = fmt.Fprintln(w, "crdctl: second signal; leaving at once")
			exit(exitTrouble)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
