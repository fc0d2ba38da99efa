package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/crdctl/crdctl/internal/tempdir"
)

// scratchPrefix is short: the paths of unix sockets are below it.
const scratchPrefix = "crdctl-bench-"

// Asked is what somebody who runs a benchmark asked for.
type Asked struct {
	// Crdctl is the path of the program to measure.
	Crdctl string
	// Dir is a folder for what is measured; it goes when the benchmark ends.
	Dir string
	// Env reads a variable of the environment.
	Env func(string) string
	// Out takes the tables, Progress what goes on.
	Out, Progress io.Writer
}

// Main is main of a benchmark: it calls run and returns the exit code. An interrupt ends run's context.
func Main(args []string, out, progress io.Writer, run func(context.Context, Asked) error) (exitCode int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := inScratch(args, func(dir string) error {
		return run(ctx, Asked{Crdctl: args[0], Dir: dir, Env: os.Getenv, Out: out, Progress: progress})
	})
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	if err != nil {
		_, _ = fmt.Fprintln(progress, "bench:", err)
		return 1
	}
	return 0
}

func inScratch(args []string, run func(dir string) error) (err error) {
	if len(args) != 1 {
		return errors.New("want the path of crdctl as the one argument; run \"make bench\"")
	}
	_ = tempdir.Sweep(os.TempDir(), scratchPrefix) // what a killed bench left is no reason not to measure
	dir, err := tempdir.New(os.TempDir(), scratchPrefix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Remove()) }()
	return run(dir.Path)
}
