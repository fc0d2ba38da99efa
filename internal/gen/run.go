package gen

import (
	"context"
	"errors"
	"slices"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/gen/loaderror"
)

// run loads the packages once and runs all generators on them.
func (p *Plan) run(ctx context.Context, root string, header codegen.Header) (files []codegen.File, notes []string, err error) {
	if len(p.Generators) == 0 {
		return nil, nil, nil
	}
	whole := p.Load
	for {
		graph, err := loadPackages(ctx, root, whole)
		if err != nil {
			return nil, nil, err
		}
		files, notes, asked, err := p.runOn(ctx, codegen.Use(graph), header)
		// What a generator asks for in a way that the tags did not tell must be loaded whole for it to see.
		missing := slices.DeleteFunc(asked, func(path string) bool { return slices.Contains(whole, path) })
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

// loadPackages loads what the generators read, and leaves what it can't find to the go command.
func loadPackages(ctx context.Context, root string, whole []string) (*load.Graph, error) {
	env, err := load.NewEnv(ctx, root, codegen.BuildTag)
	if err == nil {
		// Tags name packages of other modules too, which only some generators ask for.
		there := slices.DeleteFunc(slices.Clone(whole), func(path string) bool { return !env.Has(path) })
		var graph *load.Graph
		if graph, err = load.Packages(ctx, env, there); err == nil {
			return graph, nil
		}
	}
	if !errors.Is(err, load.ErrNotPlain) {
		return nil, err
	}
	graph, err := load.Slowly(ctx, root, whole, codegen.BuildTag)
	if err != nil && ctx.Err() == nil {
		return nil, loaderror.New("load the API packages", root, err.Error())
	}
	return graph, err
}
