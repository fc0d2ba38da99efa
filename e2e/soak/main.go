// SPDX-License-Identifier: Apache-2.0

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
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 2 && args[0] == relayWord {
		return relay(args[1], os.Stdin, os.Stdout)
	}
	s := &soak{out: os.Stdout}
	f := flag.NewFlagSet("soak", flag.ContinueOnError)
	f.DurationVar(&s.faulty, "for", 30*time.Minute, "how long there are faults, all rounds together")
	f.DurationVar(&s.round, "round", 5*time.Minute, "how long there are faults before everything is compared")
	f.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "begins the random choices; what the replicas do at that moment is not repeated")
	if err := f.Parse(args); err != nil {
		return err
	}
	if s.faulty < time.Second || s.round < time.Second {
		return fmt.Errorf("-for %s, -round %s: nothing can go wrong in that time; give a second at least", s.faulty, s.round)
	}
	if f.NArg() != 1 {
		return errors.New("want the path of crdctl as the one argument; run \"make soak\"")
	}
	crdctl, err := filepath.Abs(f.Arg(0))
	if err != nil {
		return err
	}
	s.random = rand.New(rand.NewPCG(s.seed, 0))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if s.dir, err = os.MkdirTemp("", "soak-"); err != nil { // short: the paths of unix sockets are below it
		return err
	}
	s.Main(ctx, crdctl)
	if err := s.verdict(); err != nil {
		return fmt.Errorf("%w\nlogs are in %s", err, s.dir)
	}
	return os.RemoveAll(s.dir)
}
