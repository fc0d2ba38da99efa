package gen

import (
	"context"
	"errors"
	"slices"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/gen/loaderror"
)

// code loads the packages once and runs all generators on them.
func (g *generation) code(ctx context.Context) (files []codegen.File, notes []string, err error) {
	if len(g.plan.Generators) == 0 {
		return nil, nil, nil
	}
	whole := g.plan.Load
	for {
		graph, err := g.load(ctx, whole)
		if err != nil {
			return nil, nil, err
		}
		if err := typeErrors(g.root, graph); err != nil {
			return nil, nil, err
		}
		files, notes, asked, err := g.plan.runOn(ctx, codegen.Use(graph), g.header)
		// What a generator asks for in a way that the tags did not tell must be loaded whole for it to see.
		missing := slices.DeleteFunc(asked, func(path string) bool { return slices.Contains(whole, path) || slices.Contains(g.plan.MayLoad, path) })
		if len(missing) == 0 || ctx.Err() != nil {
			return files, notes, err
		}
		whole = append(whole, missing...)
	}
}

func (p *Plan) runOn(ctx context.Context, pkgs *codegen.Packages, header codegen.Header) (files []codegen.File, notes, asked []string, err error) {
	format := codegen.NewFormatter(ctx)
	var errs []error
	for i, ran := range pkgs.Run(ctx, p.Generators, header, format.Add) {
		asked = append(asked, ran.Asked...)
		if ran.Err != nil && !errors.Is(ran.Err, context.Canceled) {
			errs = append(errs, ran.Err)
		}
		for _, line := range ran.Notes {
			notes = append(notes, p.Generators[i].Name+": "+line)
		}
	}
	files, err = format.Files()
	if len(errs) > 0 {
		return nil, nil, asked, errs[0]
	}
	return files, notes, asked, err
}

// load loads what the generators read, and leaves what it can't find to the go command.
func (g *generation) load(ctx context.Context, whole []string) (*load.Graph, error) {
	if g.env != nil {
		more := slices.DeleteFunc(slices.Clone(g.plan.MayLoad), func(path string) bool { return !g.env.Has(path) })
		graph, err := load.Packages(ctx, g.env, slices.Concat(whole, more))
		if err == nil {
			g.local = graph.Files
		}
		if err == nil || !errors.Is(err, load.ErrNotPlain) {
			return graph, err
		}
	}
	graph, err := load.Slowly(ctx, g.root, whole, codegen.BuildTag)
	if err != nil && ctx.Err() == nil {
		return nil, loaderror.New("load the API packages", g.root, err.Error())
	}
	return graph, err
}
