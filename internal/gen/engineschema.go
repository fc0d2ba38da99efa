// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/explain"
)

// withSchemas puts files instead of the schemas that are made of the types: an engine has upstream's programs, which
// read nothing else. done removes the files.
func (g *generation) withSchemas(ctx context.Context, gens []codegen.Generator) (with []codegen.Generator, done func() error, err error) {
	var all []func() error
	done = func() (err error) {
		for _, one := range all {
			err = errors.Join(err, one())
		}
		return err
	}
	with = slices.Clone(gens)
	var pkgs *codegen.Packages
	for i, one := range gens {
		if !one.WantsSchema() {
			continue
		}
		if pkgs == nil {
			graph, err := g.load(ctx, g.plan.Load)
			if err != nil {
				return nil, done, err
			}
			pkgs = codegen.New(graph)
		}
		filled, remove, err := pkgs.WithSchema(one)
		if err != nil {
			return nil, done, explain.SchemaError(g.root, fmt.Errorf("%s: %w", one.Name, err))
		}
		with[i], all = filled, append(all, remove)
	}
	return with, done, nil
}
