// Command loop measures crdctl's control loop beside controller-runtime and beside the pattern of Kubernetes' sample-controller:
// how soon and at what price every object was reconciled once, what an object costs in memory, and how updates are followed.
// "make bench" runs it.
//
// The sides run in turns, each as a process of its own, against one control plane that is a process of its own as well. Other
// than the benches beside it, it holds crdctl to something: to the ratios of requirements.go, and ends with exit code 1 when one is
// missed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

func main() {
	s, args, err := readSettings(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(measure.Main(args, os.Stdout, os.Stderr, s.run))
}

// bench is what all parts share.
type bench struct {
	settings
	dir      string // scratch
	crdctl   string
	programs programs
	plane    *plane
	progress io.Writer
}

// run measures, prints the tables, and returns an error if crdctl missed a requirement.
func (s settings) run(ctx context.Context, asked measure.Asked) (err error) {
	b := &bench{settings: s, dir: asked.Dir, progress: asked.Progress}
	if b.crdctl, err = filepath.Abs(asked.Crdctl); err != nil {
		return err
	}
	load := measure.Load()
	b.say("building the programs to compare; with an empty build cache that takes minutes")
	if b.programs, err = build(ctx, b.dir, b.crdctl, s.sides); err != nil {
		return err
	}
	if b.plane, err = startPlane(ctx, b.dir, b.crdctl); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.plane.stop()) }()
	about(asked.Out, s, load, b.programs.versions)
	empty, err := b.empty(ctx)
	if err != nil {
		return err
	}
	var missed int
	for _, objects := range s.objects {
		all, err := b.full(ctx, objects, empty)
		if err != nil {
			return fmt.Errorf("%d objects: %w", objects, err)
		}
		printTable(asked.Out, objects, s.sides, all)
		missed += printVerdicts(asked.Out, verdicts(objects, s.sides, all))
	}
	if s.judge && missed > 0 {
		return fmt.Errorf("%d requirements are missed, see above; on a busy machine, measure again", missed)
	}
	return nil
}

// say tells what goes on: a bench takes minutes.
func (b *bench) say(format string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, time.Now().Format("15:04:05")+" "+format+"\n", args...)
}
