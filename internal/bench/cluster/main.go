// Command cluster measures "crdctl run": how soon its API is ready beside the same components without crdctl and beside
// controller-runtime's envtest, what it takes while it idles, and how soon a saved change runs. "make bench" runs it.
//
// The sides run in turns, in one run, and are looked at from outside in the same way. It holds nothing to a time, since a
// busy machine is no mistake of the code. It knows crdctl as a program only.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/bench/measure"
	"github.com/crdctl/crdctl/internal/scratch"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// scratchPrefix is short: the paths of unix sockets are below it.
const scratchPrefix = "crdctl-bench-"

// bench is what all parts share.
type bench struct {
	dir      string // scratch
	crdctl   string
	goCache  string
	programs programs
	progress io.Writer
}

func run(ctx context.Context, args []string, env func(string) string, out, progress io.Writer) (err error) {
	if len(args) != 1 {
		return errors.New("want the path of crdctl as the one argument; run \"make bench\"")
	}
	s, err := readSettings(env)
	if err != nil {
		return err
	}
	load := measure.Load()
	_ = scratch.Sweep(os.TempDir(), scratchPrefix) // what a killed bench left is no reason not to measure
	dir, err := scratch.New(os.TempDir(), scratchPrefix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Remove()) }()
	b := &bench{dir: dir.Path, progress: progress}
	if err := b.prepare(ctx, args[0], s); err != nil {
		return err
	}
	about(out, s, load, b.programs.versions)
	for _, p := range parts {
		if !s.parts[p.name] {
			continue
		}
		b.say("%s", p.says)
		_, _ = fmt.Fprintf(out, "\n%s (load %.1f)\n", p.says, measure.Load())
		if err := p.measure(ctx, b, s, out); err != nil {
			if ctx.Err() != nil {
				err = errors.New("interrupted")
			}
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// prepare gets all ready that is not measured.
func (b *bench) prepare(ctx context.Context, crdctl string, s settings) (err error) {
	if b.crdctl, err = filepath.Abs(crdctl); err != nil {
		return err
	}
	cache, err := measure.Go(ctx, "", "env", "GOCACHE")
	if err != nil {
		return err
	}
	b.goCache = strings.TrimSpace(string(cache))
	if err := os.WriteFile(b.crdFile(), crd, 0o644); err != nil || !s.parts["start"] {
		return err
	}
	b.say("building kube-apiserver, etcd and what starts them; with an empty build cache that takes minutes")
	b.programs, err = build(ctx, b.dir)
	return err
}

// say tells what goes on: a bench takes minutes.
func (b *bench) say(format string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, time.Now().Format("15:04:05")+" "+format+"\n", args...)
}
