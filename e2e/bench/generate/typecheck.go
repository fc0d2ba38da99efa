package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	settingsfile "github.com/crdctl/crdctl/internal/config"
)

// checks are first runs of one project, without the type check and with it.
type checks struct {
	project       string
	without, with []measure.Taken
}

// typeChecks measures what the type check adds to a first run, in a program that does what crdctl does and can leave it out. The
// first project is one that crdctl made.
func (b *bench) typeChecks(ctx context.Context, s settings) (all []checks, err error) {
	if s.checks == 0 {
		return nil, nil
	}
	once := filepath.Join(b.dir, "once")
	b.say("type check: building the program")
	if _, err := measure.Go(ctx, "", "build", "-o", once, "./e2e/bench/once"); err != nil {
		return nil, err
	}
	made := filepath.Join(b.dir, "made")
	scaffold := measure.Side{Dir: b.dir, Env: os.Environ(), Argv: []string{b.crdctl, "init", "-C", made, "--module", "example.com/made", "--group", "stable.example.com",
		"--version", "v1beta1", "--kind", "CronTab", "--field", "cronSpec:string", "--field", "image:string", "--field", "replicas:int32"}}
	if _, err := measure.Run(ctx, scaffold); err != nil {
		return nil, err
	}
	if err := errors.Join(clean(made), os.RemoveAll(filepath.Join(made, "config/crd"))); err != nil {
		return nil, err
	}
	one, err := b.typeCheck(ctx, once, "made by crdctl init", made, s.checks)
	if err != nil {
		return nil, err
	}
	all = append(all, one)
	for _, p := range s.projects {
		start := filepath.Join(b.dir, p.name)
		module, err := b.download(ctx, p.module, p.version)
		if err == nil {
			err = startTree(p, module, start)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(start, settingsfile.FileName), b.projectFile(p), 0o600)
		}
		if err == nil {
			one, err = b.typeCheck(ctx, once, p.name, start, s.checks)
		}
		if err != nil {
			return all, fmt.Errorf("%s: type check: %w", p.name, err)
		}
		if all = append(all, one); os.RemoveAll(start) != nil {
			b.say("%s stays until the end", start)
		}
	}
	return all, nil
}

// typeCheck measures one project, which is in start.
func (b *bench) typeCheck(ctx context.Context, once, name, start string, runs int) (all checks, err error) {
	all.project = name
	warm := caches{home: filepath.Join(b.dir, "home"), goCache: b.golang.GOCACHE, bin: b.bin}
	for n := range runs + 1 { // the first one reads all files from the disk
		for _, i := range measure.Turn(n, 2) {
			dir := filepath.Join(b.dir, "tree")
			if err := errors.Join(os.RemoveAll(warm.home), copyTree(start, dir)); err != nil {
				return all, err
			}
			into, how := &all.without, "without"
			if i == 1 {
				into, how = &all.with, "with"
			}
			took, err := measure.Run(ctx, measure.Side{Dir: dir, Env: b.env(warm), Argv: []string{once, how, dir}})
			if err != nil {
				return all, err
			}
			if n > 0 {
				*into = append(*into, took)
			}
		}
	}
	b.say("%s: type check: measured", name)
	return all, nil
}

// projectFile are the settings of a project, for a program without crdctl's flags.
func (b *bench) projectFile(p project) []byte {
	client := []string{"dir: " + p.clientDir}
	for flag, setting := range map[string]string{"--with-watch": "watch: true", "--with-applyconfig": "applyConfiguration: true", "--prefers-protobuf": "prefersProtobuf: true",
		"Endpoints:Endpoints": "pluralExceptions: {Endpoints: Endpoints}"} {
		if slices.Contains(p.flags, flag) {
			client = append(client, setting)
		}
	}
	return fmt.Appendf(nil, "apiVersion: crdctl.dev/v1alpha1\nkind: Project\nboilerplate: %s\ncodeGeneratorVersion: %s\napis: [%s]\nclients: [{%s}]\n",
		headerFile, b.codeGenerator, p.apiDir, strings.Join(client, ", "))
}

// printChecks writes the table of the type check.
func printChecks(w io.Writer, all []checks) error {
	if len(all) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nFirst runs with empty results, without the type check of generated code and with it; medians of %d interleaved runs.\n\n"+
		"| project | without | with | adds | CPU without | with | adds |\n|---|---|---|---|---|---|---|\n", len(all[0].with))
	for _, c := range all {
		wall := c.added(func(m measure.Taken) time.Duration { return m.Wall })
		cpu := c.added(func(m measure.Taken) time.Duration { return m.CPU })
		if _, wrong := fmt.Fprintf(w, "| %s | %s | %s |\n", c.project, wall, cpu); wrong != nil {
			return wrong
		}
	}
	return err
}

// added are three columns: both medians, and by how much of the first the second is more.
func (c checks) added(of func(measure.Taken) time.Duration) string {
	without, with := medianOf(c.without, of).Seconds(), medianOf(c.with, of).Seconds()
	return fmt.Sprintf("%.2f s | %.2f s | %.0f %%", without, with, 100*(with/without-1))
}
