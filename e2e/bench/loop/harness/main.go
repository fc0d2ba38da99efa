package harness

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main is main of a program: run is its controller, which runs until the context ends. The arguments are a kubeconfig, the
// number of workers, how many objects are to be reconciled, how many there may ever be, and the variant.
func Main(run func(context.Context, *Harness) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	h, err := fromArgs(os.Args, os.Stdout)
	if err == nil {
		go h.answer(os.Stdin)
		err = run(ctx, h)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
