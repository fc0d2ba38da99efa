// Command fresh measures the way from nothing to a project that is compiled and verified: "crdctl init", "go build ./..." and
// "crdctl verify", each by itself, so that crdctl's own part of it is seen. "make bench" runs it.
//
// The dependencies are compiled before anything is measured, as they are on a machine that builds controllers; each round has a
// module path of its own, so that nothing of the project is. It holds nothing to a time, and knows crdctl as a program only.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

func main() { os.Exit(measure.Main(os.Args[1:], os.Stdout, os.Stderr, run)) }

// system is a project that init makes.
type system struct {
	name  string
	flags []string
}

func systems() []system {
	return []system{
		{"CronTab, three fields", []string{"--group", "stable.example.com", "--version", "v1beta1", "--kind", "CronTab", "--short-names", "ct",
			"--field", "cronSpec:string", "--field", "image:string", "--field", "replicas:int32"}},
		{"Foo, which owns Deployments", []string{"--group", "samplecontroller.k8s.io", "--version", "v1alpha1", "--kind", "Foo", "--owns", "apps/v1/Deployment",
			"--field", "deploymentName:string:required", "--field", "replicas:int32", "--field", "status.availableReplicas:int32"}},
	}
}

// taken are the times of one stage, round by round.
type taken struct{ init, build, verify []time.Duration }

func run(ctx context.Context, asked measure.Asked) error {
	runs, err := measure.Number(asked.Env, "BENCH_RUNS", 3)
	if err != nil {
		return err
	}
	crdctl, err := filepath.Abs(asked.Crdctl)
	if err != nil {
		return err
	}
	load := measure.Load()
	_, _ = fmt.Fprintf(asked.Out, "Medians of %d runs; %s, load %.1f when this began.\n", runs, measure.Machine(), load)
	if measure.Busy(load) {
		_, _ = fmt.Fprintln(asked.Out, "The machine was busy when this began: its times are not to be trusted; measure again.")
	}
	_, _ = fmt.Fprintf(asked.Out, "\n| from nothing to a project of | crdctl init | go build ./... | crdctl verify | in all | of that crdctl |\n|---|---|---|---|---|---|\n")
	for i, s := range systems() {
		var all taken
		for round := range runs + 1 { // the first one compiles the dependencies
			_, _ = fmt.Fprintf(asked.Progress, "%s %s: round %d\n", time.Now().Format("15:04:05"), s.name, round)
			dir := filepath.Join(asked.Dir, fmt.Sprintf("s%d-%d", i, round))
			if err := all.round(ctx, crdctl, dir, s.flags); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if round == 0 {
				all = taken{}
			}
		}
		all.print(asked.Out, s.name)
	}
	return nil
}

// round makes, compiles and verifies one project.
func (t *taken) round(ctx context.Context, crdctl, dir string, flags []string) error {
	for _, stage := range []struct {
		into *[]time.Duration
		dir  string
		argv []string
	}{
		{&t.init, ".", append([]string{crdctl, "init", "-C", dir, "--module", "example.com/" + filepath.Base(filepath.Dir(dir)) + filepath.Base(dir)}, flags...)},
		{&t.build, dir, []string{"go", "build", "./..."}},
		{&t.verify, dir, []string{crdctl, "verify"}},
	} {
		took, err := measure.Run(ctx, measure.Side{Dir: stage.dir, Env: os.Environ(), Argv: stage.argv})
		if err != nil {
			return err
		}
		*stage.into = append(*stage.into, took.Wall)
	}
	return nil
}

func (t *taken) print(w io.Writer, name string) {
	init, build, verify := measure.Median(t.init), measure.Median(t.build), measure.Median(t.verify)
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
	_, _ = fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", name, seconds(init), seconds(build), seconds(verify), seconds(init+build+verify), seconds(init+verify))
}
