// Command bench measures "crdctl generate" beside upstream's kube_codegen.sh, on public modules, and prints a table of both
// with their ratios; and what the type check of generated code adds to a first run. "make bench" runs it. BENCH_RUNS=0
// BENCH_COLD_RUNS=0 leaves upstream out, BENCH_CHECK_RUNS=0 the type check.
//
// Both sides do the same work in trees of their own, in turns, in one run, and their trees are compared byte by byte
// after each turn: where they differ there is no ratio. It holds nothing to a time, since a busy machine is no mistake
// of the code. It knows crdctl as a program only, and needs bash, which upstream's script is written in.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

func main() { os.Exit(measure.Main(os.Args[1:], os.Stdout, os.Stderr, run)) }

// settings are what the environment asks for.
type settings struct {
	projects           []project
	runs, cold, checks int
}

func run(ctx context.Context, asked measure.Asked) error {
	s, err := readSettings(asked.Env)
	if err != nil {
		return err
	}
	b, err := newBench(ctx, asked.Dir, asked.Crdctl, asked.Progress)
	if err != nil {
		return err
	}
	var rows []row
	checked, err := b.typeChecks(ctx, s)
	wrong := errors.Join(err, printChecks(asked.Out, checked))
	if err != nil || s.runs+s.cold == 0 {
		return wrong
	}
	for _, p := range s.projects {
		more, wrong := b.project(ctx, p, s)
		rows = append(rows, more...)
		if wrong != nil {
			// A bench takes long: what was measured until then is not lost.
			err = fmt.Errorf("%s: %w", p.name, wrong)
			break
		}
	}
	return errors.Join(wrong, err, printTable(asked.Out, b.about(s), rows))
}

// readSettings reads BENCH_RUNS, BENCH_COLD_RUNS, BENCH_CHECK_RUNS and BENCH_PROJECTS.
func readSettings(env func(string) string) (s settings, err error) {
	if s.runs, err = measure.Number(env, "BENCH_RUNS", 3); err != nil {
		return s, err
	}
	if s.cold, err = measure.Number(env, "BENCH_COLD_RUNS", 1); err != nil {
		return s, err
	}
	if s.checks, err = measure.Number(env, "BENCH_CHECK_RUNS", 5); err != nil {
		return s, err
	}
	s.projects, err = choose(env("BENCH_PROJECTS"))
	return s, err
}

// choose are the projects of the names, and all of them for no name.
func choose(names string) (chosen []project, err error) {
	all := projects()
	if names == "" {
		return all, nil
	}
next:
	for name := range strings.SplitSeq(names, ",") {
		var known []string
		for _, p := range all {
			if p.name == name {
				chosen = append(chosen, p)
				continue next
			}
			known = append(known, p.name)
		}
		return nil, fmt.Errorf("BENCH_PROJECTS: there is no project %q; there are %s", name, strings.Join(known, ", "))
	}
	return chosen, nil
}

// say tells what goes on: a bench takes minutes.
func (b *bench) say(format string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, time.Now().Format("15:04:05")+" "+format+"\n", args...)
}
