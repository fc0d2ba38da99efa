// Package codegen runs upstream's Go code generators inside this process: one load of the packages, results in
// memory, bytes as upstream's own binaries write them.
//
// It is the only importer of k8s.io/code-generator and gengo, and the place where their habits end: they write
// while they generate, take the year from the clock and their name from os.Args, and leave the process on errors.
// It decides nothing: which generator runs on which packages, with which flags, is told to it.
package codegen

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/generator"

	"github.com/crdctl/crdctl/internal/gen/load"
)

// Version is the version of k8s.io/code-generator whose generators these are.
const Version = "v0.37.1"

// BuildTag leaves generated files out of what generators read, as each of them leaves them out.
const BuildTag = gengo.StdBuildTag

// File is a generated file, at the absolute path that its generator chose.
type File struct {
	Path    string
	Content []byte
	// Generator is the name of the generator that made it.
	Generator string
}

// Packages are loaded Go packages. Their use is not safe for concurrent calls.
type Packages struct {
	source source
}

// running serialises what uses klog and gengo: both are global.
var running sync.Mutex

// Use takes packages that were loaded for generators to read.
func Use(g *load.Graph) *Packages {
	return &Packages{source{graph: g}}
}

// Run runs a generator and hands out its files, unformatted, one by one. The notes are what the generator had to say
// without failing; asked are the packages that it asked for while it ran, its inputs among them.
func (p *Packages) Run(ctx context.Context, g Generator, header Header, out func(File)) (notes, asked []string, err error) {
	running.Lock()
	defer running.Unlock()
	notes, err = guard(func() error {
		b, err := bind(g)
		if err != nil {
			return err
		}
		for _, targets := range b.passes {
			if err := ctx.Err(); err != nil {
				return err
			}
			base, parser, err := p.source.context(g.Inputs, !loadsPackages[g.Name])
			if err != nil {
				return err
			}
			err = execute(named(base, b), targets, g.Name, header, out)
			if parser != nil {
				asked = parser.UserRequestedPackages()
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, asked, fmt.Errorf("%s: %w", g.Name, err)
	}
	return notes, asked, nil
}

// execute runs the targets of a pass into memory.
func execute(c *generator.Context, targets func(*generator.Context) []generator.Target, name string, header Header, out func(File)) error {
	sink := &sink{generator: name, dirs: map[string]string{}, out: out}
	c.FileTypes = map[string]generator.FileType{}
	var inMemory []generator.Target
	for _, t := range targets(c) {
		sink.dirs[t.Path()] = t.Dir()
		inMemory = append(inMemory, memoryTarget{Target: t, header: header.of(name)})
	}
	// openapi-gen has registered the type of its report by now.
	for kind := range c.FileTypes {
		c.FileTypes[kind] = report{sink}
	}
	c.FileTypes[generator.GoFileType] = sink
	return c.ExecuteTargets(inMemory)
}
