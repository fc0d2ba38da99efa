// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/explain"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/gen/plan"
	"github.com/crdctl/crdctl/internal/gen/toolchain"
)

// code runs the generators: those of the right version in this process, the others in an engine of their own.
func (g *generation) code(ctx context.Context) (files []codegen.File, notes []string, err error) {
	if g.idle() {
		g.local = map[string][]load.Source{}
		return nil, nil, nil
	}
	here, elsewhere := g.split()
	kept, elsewhere := g.keptEngine(elsewhere)
	elsewhere, done, err := g.withSchemas(ctx, elsewhere)
	defer func() { err = errors.Join(err, done()) }()
	if err != nil {
		return nil, nil, err
	}
	var ours, theirs []codegen.File
	var said []string
	var engineErr error
	var both sync.WaitGroup
	engineCtx, stop := context.WithCancel(ctx)
	defer stop()
	if len(elsewhere) > 0 {
		both.Go(func() { theirs, said, engineErr = g.inEngine(engineCtx, elsewhere) })
	}
	if len(here) > 0 {
		ours, notes, err = g.inProcess(ctx, here)
	} else if err := g.loadForEngine(ctx); err != nil {
		stop()
		both.Wait()
		return nil, nil, err
	}
	if g.graph != nil && len(elsewhere) > 0 {
		if endless := codegen.New(g.graph).Endless(elsewhere); len(endless) > 0 {
			stop() // it would never end
			both.Wait()
			return nil, nil, errors.Join(append(endless, err)...)
		}
	}
	both.Wait()
	if engineErr == nil {
		g.noteEngine(elsewhere, theirs, said)
	}
	return slices.Concat(ours, theirs, kept), append(notes, said...), errors.Join(err, engineErr)
}

// loadForEngine loads what an engine reads, for the cache to know. An engine loads for itself, too, and has its own words for what does not
// load. Only programs of old versions have none: they generate from what is left.
func (g *generation) loadForEngine(ctx context.Context) error {
	if g.graph != nil {
		return nil
	}
	graph, err := g.load(ctx, g.plan.Load)
	if !toolchain.Old(g.version.Version) {
		return nil
	}
	if err == nil {
		err = explain.TypeErrors(g.root, graph)
	}
	if err != nil {
		return settled{err}
	}
	return nil
}

// split tells the generators that are linked into this program from those that an engine must run.
func (g *generation) split() (here, elsewhere []codegen.Generator) {
	for _, one := range g.plan.Code() {
		if g.version.BuiltIn() && codegen.Known(one.Name) && !g.openAPIApart(one) {
			here = append(here, one)
		} else {
			elsewhere = append(elsewhere, one)
		}
	}
	return here, elsewhere
}

// openAPIApart reports whether a generator is openapi-gen of another version than the one that code-generator requires.
func (g *generation) openAPIApart(one codegen.Generator) bool {
	o := g.settings.OpenAPI
	return one.Name == "openapi-gen" && o.Version != "" &&
		(!g.version.BuiltIn() || o.Version != codegen.OpenAPIVersion() || o.GengoVersion != "" && o.GengoVersion != codegen.GengoVersion())
}

// inEngine runs generators of the project's version.
func (g *generation) inEngine(ctx context.Context, gens []codegen.Generator) ([]codegen.File, []string, error) {
	var apart, rest []codegen.Generator
	for _, one := range gens {
		if g.openAPIApart(one) {
			apart = append(apart, one)
		} else {
			rest = append(rest, one)
		}
	}
	if len(apart) == 0 {
		return g.inEngineOf(ctx, gens, func() (*toolchain.Toolchain, error) {
			version := g.version.Version
			if g.version.BuiltIn() {
				version = codegen.Version // one engine for all that are the same
			}
			return toolchain.Open(ctx, version)
		})
	}
	files, notes, err := g.inEngineOf(ctx, apart, func() (*toolchain.Toolchain, error) {
		return toolchain.OpenOpenAPI(ctx, g.settings.OpenAPI.Version, g.settings.OpenAPI.GengoVersion)
	})
	if len(rest) > 0 { // also after an error: theirs are other ones
		others, said, otherErr := g.inEngine(ctx, rest)
		files, notes, err = append(files, others...), append(notes, said...), errors.Join(err, otherErr)
	}
	return files, notes, err
}

// inEngineOf runs generators in an engine.
func (g *generation) inEngineOf(ctx context.Context, gens []codegen.Generator, open func() (*toolchain.Toolchain, error)) ([]codegen.File, []string, error) {
	e, err := open()
	if err != nil {
		return nil, nil, settled{err}
	}
	files, notes, err := e.Run(ctx, g.dir, g.header.Boilerplate, gens, g.plan.MayLoad...)
	// Before v0.36 openapi-gen writes model names into other modules too, where they are already.
	files = slices.DeleteFunc(files, func(f codegen.File) bool {
		rel, err := filepath.Rel(g.root, f.Path)
		return f.Generator == "openapi-gen" && (err != nil || !filepath.IsLocal(rel))
	})
	for i, f := range files {
		if f.Path == filepath.Join(g.root, plan.ReportFile) {
			files[i] = codegen.File{Content: f.Content, Generator: codegen.Report}
		}
	}
	return files, notes, err
}

// inProcess loads the packages once and runs generators on them.
func (g *generation) inProcess(ctx context.Context, gens []codegen.Generator) (files []codegen.File, notes []string, err error) {
	whole := g.plan.Load
	before := "" // the error on packages of which most was pruned
	for {
		graph, err := g.load(ctx, whole)
		if err != nil {
			return nil, nil, settled{err}
		}
		if err := explain.TypeErrors(g.root, graph); err != nil {
			return nil, nil, settled{err}
		}
		files, notes, asked, err := g.runOn(ctx, graph, gens)
		if err != nil && g.local != nil && ctx.Err() == nil && !g.certain(err) {
			// The generator may lack what was not loaded. Where it says something else with all declarations of the
			// packages, the go command's load, which takes ten times as long, decides.
			said := numbers.ReplaceAllString(err.Error(), "")
			if before != "" && said != before {
				g.env, g.local = nil, nil
			}
			if said != before {
				before, whole = said, append(slices.Clone(whole), inModules(graph)...)
				continue
			}
		}
		// What a generator asks for in a way that the tags did not tell must be loaded whole for it to see.
		missing := slices.DeleteFunc(asked, func(path string) bool { return slices.Contains(whole, path) || slices.Contains(g.plan.MayLoad, path) })
		if len(missing) == 0 || ctx.Err() != nil {
			var errs []error
			for _, one := range explain.Each(err) {
				errs = append(errs, explain.SchemaError(g.root, one))
			}
			return files, notes, errors.Join(errs...)
		}
		whole = append(whole, missing...)
	}
}

// numbers are lines and columns of generated code, which has its imports in any order if their paths are the same.
var numbers = regexp.MustCompile(`[0-9]+`)

// certain reports whether the packages that are loaded say what is wrong: more of them would not change it.
func (g *generation) certain(err error) bool {
	return !slices.ContainsFunc(explain.Each(err), func(one error) bool { return g.reason(one) == nil })
}

// inModules are the packages of a graph that are not Go's own.
func inModules(graph *load.Graph) (paths []string) {
	for path, p := range graph.Packages {
		if p.Module != nil {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// runOn runs generators on a graph, and formats what they make. asked are the packages that they asked for.
func (g *generation) runOn(ctx context.Context, graph *load.Graph, gens []codegen.Generator) (files []codegen.File, notes, asked []string, err error) {
	format := codegen.NewFormatter(ctx)
	pkgs := codegen.New(graph)
	byHand := expansions(g.root, g.plan.Areas)
	if g.env != nil && g.results != nil {
		common := slices.Concat([]string{program(), string(g.header.Boilerplate), fmt.Sprint(g.header.Boilerplate == nil)}, g.env.Fingerprint(g.root), byHand)
		pkgs.Kept = codegen.NewKept(g.results, g.root, common...)
	}
	var errs []error
	for i, ran := range pkgs.Run(ctx, gens, g.header, format.Add) {
		asked = append(asked, ran.Asked...)
		if ran.Err != nil && !errors.Is(ran.Err, context.Canceled) {
			errs = append(errs, ran.Err)
		}
		for _, line := range ran.Notes {
			notes = append(notes, gens[i].Name+": "+line)
		}
	}
	files, err = format.Files()
	if errs = append(errs, err); errors.Join(errs...) != nil {
		return nil, nil, asked, errors.Join(errs...)
	}
	// A target that is kept would not repeat a note, and of an expansion that came meanwhile nothing is known.
	if pkgs.Kept != nil && len(notes) == 0 && slices.Equal(byHand, expansions(g.root, g.plan.Areas)) {
		_ = pkgs.Kept.Save(files) // cachedOrMade reports why a result cannot be kept
	}
	return files, notes, asked, nil
}

// load loads what the generators read, and leaves what it cannot find to the go command.
func (g *generation) load(ctx context.Context, whole []string) (*load.Graph, error) {
	if g.env != nil {
		g.more = g.mayLoad()
		graph, err := load.Packages(ctx, g.env, slices.Concat(whole, g.more))
		if err == nil {
			g.graph, g.local = graph, graph.Local
		}
		if cycle, ok := errors.AsType[*load.CycleError](err); ok {
			return nil, diag.New("cannot load the API packages", g.root, "import cycle not allowed:", strings.Join(cycle.Imports, "\n"))
		}
		if err == nil || !errors.Is(err, load.ErrUnsupported) {
			return graph, err
		}
		if wrong := load.Syntax(g.env, slices.Concat(whole, g.more), false); wrong != nil {
			return nil, diag.New("cannot load the API packages", g.root, wrong.Error())
		}
	}
	graph, err := load.WithGoCommand(ctx, g.dir, slices.Concat(whole, g.more), codegen.BuildTag)
	if err != nil && ctx.Err() == nil {
		if unlisted := g.unlisted(err.Error()); unlisted != nil {
			return nil, unlisted
		}
		return nil, diag.New("cannot load the API packages", g.root, err.Error())
	}
	if err == nil {
		g.graph = graph
	}
	return graph, err
}

// mayLoad are the packages that tags name, of those that there are.
func (g *generation) mayLoad() []string {
	return slices.DeleteFunc(slices.Clone(g.plan.MayLoad), func(path string) bool { return !g.env.Has(path) })
}
