// SPDX-License-Identifier: Apache-2.0

// Package codegen runs upstream's Go code generators inside this process: one load of the packages, results in
// memory, bytes as upstream's own binaries write them.
//
// It is the only importer of k8s.io/code-generator and gengo, and the place where their habits end: they write
// while they generate, take the year from the clock and their name from os.Args, and leave the process on errors.
// It decides nothing: which generator runs on which packages, with which flags, is told to it.
package codegen

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"
	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/generator"

	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/logging"
)

// Version is the version of k8s.io/code-generator whose generators these are.
const Version = "v0.37.1"

// SameAs are the versions whose generators are the same, file by file.
var SameAs = []string{"v0.37.0", "v0.37.1", "v0.37.2"}

// BuildTag leaves generated files out of what generators read, as each of them leaves them out.
const BuildTag = gengo.StdBuildTag

// File is a generated file, at the absolute path that its generator chose.
type File struct {
	Path    string
	Content []byte
	// Generator is the name of the generator that made it.
	Generator string

	formatted bool // it was kept
}

// Packages are loaded Go packages.
type Packages struct {
	// Kept has files of an earlier run; nil for none.
	Kept *Kept

	source source
}

// New takes packages that were loaded for generators to read.
func New(g *load.Graph) *Packages {
	return &Packages{source: source{graph: g, comments: commentsByEnd(g)}}
}

// Ran is what became of one generator.
type Ran struct {
	// Notes are what the generator had to say without failing.
	Notes []string
	// Asked are the packages that it asked for while it ran, its inputs among them.
	Asked []string
	Err   error
}

// Run runs generators, as many at once as there are processors, and hands out their files, unformatted, one by one and
// in any order. The results are in the order of the generators; after an error, those that had not begun are not run.
func (p *Packages) Run(ctx context.Context, gens []Generator, header Header, out func(File)) []Ran {
	logged, release := logging.Capture()
	defer release()
	results := make([]Ran, len(gens))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, g := range gens {
		group.Go(func() error {
			r := &results[i]
			if r.Err = context.Cause(ctx); r.Err != nil {
				return nil
			}
			if r.Notes, r.Err = logged.Guard(func() error { return p.run(g, header, out, r) }); r.Err != nil {
				r.Err = fmt.Errorf("%s: %w", g.Name, r.Err)
			}
			return nil
		})
	}
	_ = group.Wait() // each has its own error
	return results
}

// run runs a generator; without out, as execute does.
func (p *Packages) run(g Generator, header Header, out func(File), r *Ran) (err error) {
	g, done, err := p.withSchema(g)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	b, err := bind(g)
	if err != nil {
		return err
	}
	for _, targets := range b.passes {
		base, parser, err := p.source.context(g.Inputs, !loadsPackages[g.Name])
		if err != nil {
			return err
		}
		var kept *keptTargets
		if out != nil && len(b.passes) == 1 {
			kept = p.Kept.of(g, &p.source, base.Universe)
		}
		err = execute(named(base, g, b), targets, g.Name, header, kept, out)
		if parser != nil {
			r.Asked = parser.UserRequestedPackages()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// execute runs the targets of a pass into memory, but for those that are kept. Without out, it only looks for types on which the
// generator would never end.
func execute(c *generator.Context, targets func(*generator.Context) []generator.Target, name string, header Header, kept *keptTargets, out func(File)) error {
	look := out == nil
	if look {
		out = func(File) {}
	}
	sink := &sink{generator: name, dirs: map[string]string{}, kept: kept, keys: map[string]cache.Key{}, out: out}
	c.FileTypes = map[string]generator.FileType{}
	var inMemory []generator.Target
	for _, t := range targets(c) {
		sink.dirs[t.Path()] = t.Dir()
		inMemory = append(inMemory, memoryTarget{Target: t, header: header.of(name), name: name, look: look, sink: sink})
	}
	// openapi-gen has registered the type of its report by now.
	for kind := range c.FileTypes {
		c.FileTypes[kind] = report{sink}
	}
	c.FileTypes[generator.GoFileType] = sink
	return c.ExecuteTargets(inMemory)
}
