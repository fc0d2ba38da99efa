// Command cluster measures "crdctl run": how soon its API is ready beside the same components without crdctl and beside
// controller-runtime's envtest, what it takes while it idles, and how soon a saved change runs. "make bench" runs it.
//
// The sides run in turns, in one run, and are looked at from outside in the same way. It holds nothing to a time, since a
// busy machine is no mistake of the code. It knows crdctl as a program only.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

func main() { os.Exit(measure.Main(os.Args[1:], os.Stdout, os.Stderr, run)) }

// bench is what all parts share.
type bench struct {
	dir      string // scratch
	crdctl   string
	goCache  string
	programs programs
	progress io.Writer
}

func run(ctx context.Context, asked measure.Asked) error {
	s, err := readSettings(asked.Env)
	if err != nil {
		return err
	}
	load, out := measure.Load(), asked.Out
	b := &bench{dir: asked.Dir, progress: asked.Progress}
	if err := b.prepare(ctx, asked.Crdctl, s); err != nil {
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
