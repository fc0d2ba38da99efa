// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/golangci/gofmt"
	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/toolchain/wire"
	"github.com/crdctl/crdctl/internal/tempdir"
)

// patience is how long a child of a killed process may hold the pipes.
const patience = 2 * time.Second

// Run runs generators on packages of the module in dir. Their files come back formatted, and nothing is written. The
// boilerplate is the content of the header file, nil for none; the word YEAR in it stays. The notes are what the
// generators had to say without failing. mayLoad are import paths of packages that the generators may ask for in addition to their
// inputs; what is forgotten there costs time.
func (e *Toolchain) Run(ctx context.Context, dir string, boilerplate []byte, gens []Generator, mayLoad ...string) (files []File, notes []string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	if e.old {
		return e.runPrograms(ctx, dir, boilerplate, gens, mayLoad)
	}
	results := make([]wire.Result, len(gens))
	g, processes := errgroup.WithContext(ctx)
	for _, batch := range batches(gens) {
		g.Go(func() error {
			request := wire.Request{Boilerplate: boilerplate, HasHeader: boilerplate != nil, MayLoad: slices.Clone(mayLoad)}
			for _, i := range batch {
				request.MayLoad = append(request.MayLoad, named(gens[i].Flags)...)
				request.Generators = append(request.Generators, wire.Generator(gens[i]))
			}
			response, err := e.ask(processes, dir, request)
			if err == nil && response.Partial {
				request.Whole = true
				response, err = e.ask(processes, dir, request)
			}
			if err != nil {
				return err
			}
			for n, i := range batch {
				results[i] = response.Results[n]
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	for i, r := range results {
		notes = append(notes, r.Notes...)
		if r.Failure != "" {
			return nil, notes, fmt.Errorf("%s %s: %s", gens[i].Name, e.Version, r.Failure)
		}
	}
	files, err = simplified(ctx, gens, results)
	return files, notes, err
}

// named are the packages that flags name, which generators load.
func named(flags []string) (pkgs []string) {
	for i, flag := range flags {
		if slices.Contains([]string{"--readonly-pkg", "--extra-peer-dirs", "--input"}, flag) && i+1 < len(flags) {
			pkgs = append(pkgs, flags[i+1])
		}
	}
	return pkgs
}

// batches says which generators run in one process, by their numbers. validation-gen can run only once in one: it
// registers its validators with the first run.
func batches(gens []Generator) [][]int {
	var all [][]int
	validations := 0
	for i, g := range gens {
		at := 0
		if g.Name == "validation-gen" {
			at = validations
			validations++
		}
		if at >= len(all) {
			all = append(all, nil)
		}
		all[at] = append(all[at], i)
	}
	return all
}

// ask starts the engine for one request.
func (e *Toolchain) ask(ctx context.Context, dir string, request wire.Request) (response wire.Response, err error) {
	_ = tempdir.Sweep(os.TempDir(), tempdir.RunPrefix) // run in spite of what others left
	d, err := tempdir.New(os.TempDir(), tempdir.RunPrefix)
	if err != nil {
		return response, err
	}
	defer func() { err = errors.Join(err, d.Remove()) }()
	request.Scratch = d.Path

	if err := exchange(ctx, "code-generator "+e.Version, e.binary, dir, request, &response); err != nil {
		return response, err
	}
	if response.Partial {
		return response, nil
	}
	if response.Trouble != "" {
		return response, cmp.Or(diag.New("cannot load the API packages", dir, response.Trouble), errors.New(response.Trouble))
	}
	if len(response.Results) != len(request.Generators) {
		return response, fmt.Errorf("code-generator %s: %d answers to %d questions", e.Version, len(response.Results), len(request.Generators))
	}
	return response, nil
}

// exchange runs an engine: the question goes to its stdin, and the answer comes from its stdout.
func exchange(ctx context.Context, name, binary, dir string, question, answer any) error {
	var in, out, stderr bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(question); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, binary)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, &in, &out, &stderr, patience
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%s: %w: %s", name, err, lastWords(stderr.String()))
	}
	if err := gob.NewDecoder(&out).Decode(answer); err != nil {
		return fmt.Errorf("%s: read its answer: %w", name, err)
	}
	return nil
}

// lastWords is what a program that failed wrote, without the stacks of its goroutines.
func lastWords(stderr string) string {
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(stderr)
}

// simplified does, in parallel, what gengo calls gofmt -s for.
func simplified(ctx context.Context, gens []Generator, results []wire.Result) ([]File, error) {
	var all []*File
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range results {
		for _, f := range r.Files {
			to := &File{Path: f.Path, Content: f.Content, Generator: gens[i].Name}
			all = append(all, to)
			g.Go(func() (err error) {
				if !f.Simplify || ctx.Err() != nil {
					return ctx.Err()
				}
				if to.Content, err = gofmt.Source("", f.Content, gofmt.Options{NeedSimplify: true}); err != nil {
					return fmt.Errorf("%s: %s generated code that is not Go: %w", to.Path, to.Generator, err)
				}
				return nil
			})
		}
	}
	err := g.Wait()
	files := make([]File, len(all))
	for i, f := range all {
		files[i] = *f
	}
	return files, err
}
