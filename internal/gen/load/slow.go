// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/packages"
)

// WithGoCommand loads the packages as upstream's generators do: the go command finds them, and all that they import is parsed
// and type-checked. It knows every layout that the go command knows, and its errors are the go command's.
func WithGoCommand(ctx context.Context, dir string, whole []string, tags ...string) (*Graph, error) {
	g := &Graph{Fset: token.NewFileSet(), Packages: map[string]*packages.Package{}}
	env, done, err := ReadOnly(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer done()
	config := &packages.Config{
		Context: ctx, Dir: dir, Env: env, Fset: g.Fset,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedModule | packages.NeedTypes | packages.NeedSyntax,
	}
	for _, tag := range tags {
		config.BuildFlags = append(config.BuildFlags, "-tags="+tag)
	}
	roots, err := packages.Load(config, whole...)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	var errs []error
	packages.Visit(roots, nil, func(p *packages.Package) {
		g.Packages[p.PkgPath] = p
		for _, e := range p.Errors {
			if e.Kind == packages.ListError || e.Kind == packages.ParseError {
				errs = append(errs, e)
			}
		}
		if slices.Contains(roots, p) {
			for _, e := range p.TypeErrors {
				if inTypeDecl(p.Syntax, e.Pos) {
					g.Wrong = append(g.Wrong, e)
				}
			}
		}
	})
	if len(errs) > 0 {
		return nil, fmt.Errorf("%w", errors.Join(errs...))
	}
	return g, nil
}
