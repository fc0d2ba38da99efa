package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// settings are what the environment asks for.
type settings struct {
	runs    int
	idle    time.Duration
	objects int
	parts   map[string]bool
}

// part is one of the things that are measured. It prints its own table, so that what was measured is not lost when
// the next one goes wrong.
type part struct {
	name, says string
	measure    func(ctx context.Context, b *bench, s settings, out io.Writer) error
}

var parts = []part{
	{"start", "start: crdctl, the same components without it, envtest", measureStart},
	{"idle", "idle: processor and memory of crdctl run --builtin", measureIdle},
	{"save", "save: from a saved file to the new controller's first reconcile", measureSave},
}

// readSettings reads BENCH_RUNS, BENCH_IDLE (seconds), BENCH_OBJECTS and BENCH_CLUSTER (start,idle,save).
func readSettings(env func(string) string) (s settings, err error) {
	if s.runs, err = measure.Number(env, "BENCH_RUNS", 3); err != nil {
		return s, err
	}
	seconds, err := measure.Number(env, "BENCH_IDLE", 20)
	if err != nil {
		return s, err
	}
	if seconds == 0 {
		return s, fmt.Errorf("BENCH_IDLE=0 measures nothing; give a number of seconds, or leave idle out of BENCH_CLUSTER")
	}
	s.idle = time.Duration(seconds) * time.Second
	if s.objects, err = measure.Number(env, "BENCH_OBJECTS", 10000); err != nil {
		return s, err
	}
	s.parts = map[string]bool{}
	var names []string
	for _, p := range parts {
		s.parts[p.name] = env("BENCH_CLUSTER") == ""
		names = append(names, p.name)
	}
	for name := range strings.FieldsFuncSeq(env("BENCH_CLUSTER"), func(r rune) bool { return r == ',' }) {
		if _, known := s.parts[name]; !known {
			return s, fmt.Errorf("BENCH_CLUSTER: there is no part %q; there are %s", name, strings.Join(names, ", "))
		}
		s.parts[name] = true
	}
	return s, nil
}
