package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// settings are what the flags ask for.
type settings struct {
	objects []int // in rising order: objects are added, and never removed
	runs    int
	paced   time.Duration
	burst   int
	sides   []side
	judge   bool
}

// readSettings reads the flags, and returns the arguments after them.
func readSettings(args []string, usage io.Writer) (s settings, rest []string, err error) {
	f := flag.NewFlagSet("loop", flag.ContinueOnError)
	f.SetOutput(usage)
	objects := f.String("objects", "10000,50000", "how many objects there are, one number after the other")
	var names []string
	for _, one := range sides {
		names = append(names, one.name)
	}
	chosen := f.String("sides", strings.Join(names, ","), "the sides to run")
	f.IntVar(&s.runs, "runs", 3, "rounds; the tables have medians")
	f.DurationVar(&s.paced, "paced", 20*time.Second, "how long 100 objects a second are updated")
	f.IntVar(&s.burst, "burst", 5000, "updates at full speed")
	f.BoolVar(&s.judge, "judge", true, "end with exit code 1 when a requirement is missed")
	if err := f.Parse(args); err != nil {
		return s, nil, err
	}
	for text := range strings.SplitSeq(*objects, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 2 {
			return s, nil, fmt.Errorf("-objects: %q is not a number above 1; give numbers such as 10000,50000", text)
		}
		s.objects = append(s.objects, n)
	}
	slices.Sort(s.objects)
	for name := range strings.SplitSeq(*chosen, ",") {
		i := slices.Index(names, name)
		if i < 0 {
			return s, nil, fmt.Errorf("-sides: there is no side %q; there are %s", name, strings.Join(names, ", "))
		}
		s.sides = append(s.sides, sides[i])
	}
	if s.runs < 1 || s.burst < 1 || s.paced < time.Second {
		return s, nil, fmt.Errorf("-runs %d, -burst %d, -paced %s measure nothing; give 1, 1 and 1s at least", s.runs, s.burst, s.paced)
	}
	return s, f.Args(), nil
}

// most is how many objects there will ever be.
func (s settings) most() int { return slices.Max(s.objects) }
