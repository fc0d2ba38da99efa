// Command soak has replicas of the built-in controller work for half an hour while all sorts of things go wrong at random:
// they are killed and frozen, the control plane is killed, hooks hang, crash and answer rubbish, watches are cut, requests refused, the CRD
// is deleted. Every few minutes nothing goes wrong for a while; then everything must be as the specs ask for, the memory flat,
// and no two replicas may have been at one key at once. "make soak" runs it.
//
// It is not a benchmark, and does not measure speed. Each fault is a line of its output; the argument is the path of crdctl.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/crdctl/crdctl/internal/tempdir"
)

// scratchPrefix is short: the paths of unix sockets are below it.
const scratchPrefix = "crdctl-soak-"

func main() {
	err := run(os.Args[1:])
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	if len(args) > 0 && args[0] == hookWord {
		return runHook(args[1:], os.Stdin, os.Stdout, os.Stderr)
	}
	s := &soak{out: os.Stdout}
	f := flag.NewFlagSet("soak", flag.ContinueOnError)
	f.DurationVar(&s.faulty, "for", 30*time.Minute, "how long there are faults, all rounds together")
	f.DurationVar(&s.round, "round", 5*time.Minute, "how long there are faults before everything is compared")
	f.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "begins the random choices; at what they find the replicas is another matter")
	if err := f.Parse(args); err != nil {
		return err
	}
	if s.faulty < time.Second || s.round < time.Second {
		return fmt.Errorf("-for %s, -round %s: nothing can go wrong in that time; give a second at least", s.faulty, s.round)
	}
	if f.NArg() != 1 {
		return errors.New("want the path of crdctl as the one argument; run \"make soak\"")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	_ = tempdir.Sweep(os.TempDir(), scratchPrefix) // what a killed soak left does not prevent this one
	dir, err := tempdir.New(os.TempDir(), scratchPrefix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Remove()) }()
	return s.run(ctx, dir.Path, f.Arg(0))
}
