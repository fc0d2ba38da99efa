// SPDX-License-Identifier: Apache-2.0

// Package load parses and type-checks Go packages from source, and no more of them than declarations: those that generators read
// (Packages), and those that they wrote, before these are on disk (TypeCheck).
//
// Of an imported package no more is read than the declarations that the others lead to, and no function bodies: what only these
// need is not loaded at all, which is most of a program.
//
// It finds packages by go.mod, without the go command, and gives up with ErrUnsupported on what it does not know for sure:
// the go command's own words on missing modules, ambiguous imports and the like are for its callers to get. It knows neither
// projects nor generators, and never writes.
package load

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// ErrUnsupported says that the go command must load the packages.
var ErrUnsupported = errors.New("cannot be read")

// Graph is what was loaded. Its packages have Types and Syntax, and refer to each other in Imports.
type Graph struct {
	Fset *token.FileSet
	// Packages has all packages by import path.
	Packages map[string]*packages.Package
	// Local are the files that were read of packages outside of the module cache and of Go itself, by their absolute
	// directories: those that can change. Of a graph that the go command loaded they are not known.
	Local map[string][]Source
	// Wrong are the type errors in the type declarations of the packages that were asked for.
	Wrong []types.Error
}

// CycleError is an import cycle: the go command names its packages, and not the lines to look at.
type CycleError struct {
	// Imports are the imports on the way around, each with its place.
	Imports []string
}

func (e *CycleError) Error() string {
	return "import cycle not allowed:\n" + strings.Join(e.Imports, "\n")
}

// Packages loads packages and what their declarations need. Those in whole keep all declarations and comments; the others
// have what these refer to, with comments and exported methods.
func Packages(ctx context.Context, env *Env, whole []string) (*Graph, error) {
	g, sure, err := load(ctx, env, whole, true)
	if err == nil && !sure {
		g, _, err = load(ctx, env, whole, false)
	}
	return g, err
}

// load also reports whether the graph is sure to be what it would be if all files were parsed whole.
func load(ctx context.Context, env *Env, whole []string, cut bool) (g *Graph, sure bool, err error) {
	w := newProgram(env)
	w.cut, w.comments = cut, true
	w.readAll(whole, true)
	w.keepWhole()
	w.follow(ctx)
	if ctx.Err() != nil {
		return nil, true, context.Cause(ctx)
	}
	for _, p := range w.sorted() {
		if p.err != nil {
			return nil, true, fmt.Errorf("%s: %w", p.path, p.err)
		}
	}
	if rings := w.cycles(); len(rings) > 0 {
		return nil, true, w.cycle(rings[0])
	}
	w.inOrder(ctx, func(p *pkg) {
		w.check(p, p.syntax(), func(e types.Error) {
			// What is wrong elsewhere in these may follow from what generated code declares.
			if !p.whole || inTypeDecl(p.syntax(), e.Pos) {
				p.wrong = append(p.wrong, e)
			}
		})
	})
	if ctx.Err() != nil {
		return nil, true, context.Cause(ctx)
	}
	g, sure = w.graph()
	return g, sure, nil
}

// graph is what is known of the packages after the check.
func (w *program) graph() (g *Graph, sure bool) {
	g, sure = &Graph{Fset: w.fset, Packages: map[string]*packages.Package{}, Local: map[string][]Source{}}, !w.torn
	for _, p := range w.sorted() {
		g.Packages[p.path] = &packages.Package{ID: p.path, PkgPath: p.path, Name: p.name, Fset: w.fset, Types: p.types, Module: p.module, Imports: map[string]*packages.Package{}}
	}
	for _, p := range w.sorted() {
		out := g.Packages[p.path]
		for path, imported := range p.imports {
			out.Imports[path] = g.Packages[imported.path]
		}
		for _, f := range p.files {
			out.GoFiles = append(out.GoFiles, f.name)
		}
		out.Syntax = p.syntax()
		for _, f := range out.Syntax {
			f.Decls, f.Imports = nil, nil // from here on it is the types and comments that count
		}
		if p.local {
			g.Local[p.dir] = p.sources
		}
		if p.whole {
			g.Wrong = append(g.Wrong, p.wrong...)
		}
		sure = sure && (!w.cut || len(p.wrong) == 0)
	}
	return g, sure
}

// inTypeDecl reports whether a place is in the declaration of a type.
func inTypeDecl(files []*ast.File, pos token.Pos) bool {
	for _, f := range files {
		in := func(decl ast.Decl) bool {
			d, ok := decl.(*ast.GenDecl)
			return ok && d.Tok == token.TYPE && d.Pos() <= pos && pos < d.End()
		}
		if slices.ContainsFunc(f.Decls, in) {
			return true
		}
	}
	return false
}
