package main

import (
	"flag"
	"fmt"
	"io"
	"time"
)

// settings are what the flags ask for.
type settings struct {
	faulty  time.Duration // of all rounds together
	round   time.Duration
	objects int
	rate    int // writes a second
	seed    uint64
	logs    string // "" is a folder of its own, removed when all went well
}

// fewest is how many objects there are at least: each of the writers has names of its own.
const fewest = 10

// readSettings reads the flags, and returns the arguments after them.
func readSettings(args []string, usage io.Writer) (s settings, rest []string, err error) {
	f := flag.NewFlagSet("soak", flag.ContinueOnError)
	f.SetOutput(usage)
	f.DurationVar(&s.faulty, "for", 30*time.Minute, "how long there are faults, all rounds together")
	f.DurationVar(&s.round, "round", 5*time.Minute, "how long there are faults before everything is compared")
	f.IntVar(&s.objects, "objects", 500, "how many objects there are when everything is compared, and about as many between")
	f.IntVar(&s.rate, "rate", 20, "writes a second")
	f.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "begins the random choices; at what they find the replicas is another matter")
	f.StringVar(&s.logs, "logs", "", "a `folder` for the logs and the hook's notes, which is kept (default: one that is kept when something is wrong)")
	if err := f.Parse(args); err != nil {
		return s, nil, err
	}
	if s.faulty < time.Second || s.round < time.Second {
		return s, nil, fmt.Errorf("-for %s, -round %s: nothing can go wrong in that time; give a second at least", s.faulty, s.round)
	}
	if s.objects < fewest || s.rate < 1 {
		return s, nil, fmt.Errorf("-objects %d, -rate %d soak nothing; give %d and 1 at least", s.objects, s.rate, fewest)
	}
	return s, f.Args(), nil
}
