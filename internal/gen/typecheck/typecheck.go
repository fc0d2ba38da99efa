package typecheck

import (
	"cmp"
	"context"
	"go/token"
	"path/filepath"
	"slices"
)

// Package is a package with generated files.
type Package struct {
	Path, Dir string
	// Files are the contents of the generated files by name. Gone are files on disk that are to be removed.
	Files map[string][]byte
	Gone  map[string]bool
	// GoVersion is the go line of its module.
	GoVersion string
}

// Error is an error in a generated file, or one that a generated file is the cause of.
type Error struct {
	Pos token.Position
	Msg string
	// Lacks is the name, such as example.com/dep.Name, that an imported package of another module does not declare.
	Lacks string
	// Follows is set if the error may follow from what an imported package lacks.
	Follows bool
}

// Unchecked is a package that was not checked, since a package that it needs could not be loaded.
type Unchecked struct {
	Path string
	// Import is the package that could not be loaded, and Err the reason.
	Import string
	Err    error
}

// Report is the result of a check.
type Report struct {
	Errors    []Error
	Unchecked []Unchecked
	// Local are the directories outside of the module cache and of Go itself that were read.
	Local []string

	torn bool // see world
}

// Check type-checks packages.
func Check(ctx context.Context, find Finder, pkgs []Package) (*Report, error) {
	quick, err := check(ctx, find, pkgs, false)
	if err == nil && (quick.torn || !allLack(quick.Errors)) {
		return check(ctx, find, pkgs, true)
	}
	return quick, err
}

func check(ctx context.Context, find Finder, pkgs []Package, exact bool) (*Report, error) {
	w := newProgram(find, exact)
	if err := w.parseTargets(ctx, pkgs); err != nil {
		return nil, err
	}
	w.reach()
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if cycles := w.cycles(); len(cycles) > 0 {
		return &Report{Errors: cycles}, nil
	}
	w.typeCheck(ctx)
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	return w.report(), nil
}

// report gathers what was found, in the order of packages and positions.
func (w *program) report() *Report {
	r := &Report{torn: w.torn}
	for _, p := range w.sorted() {
		if p.local && p.dir != "" {
			r.Local = append(r.Local, p.dir)
		}
		if !p.target {
			continue
		}
		if lost := p.lost; lost != nil {
			if lost.target {
				r.Errors = append(r.Errors, p.errs...)
				continue // it follows from the errors of that one
			}
			r.Unchecked = append(r.Unchecked, Unchecked{Path: p.path, Import: lost.path, Err: lost.err})
			continue
		}
		r.Errors = append(r.Errors, p.errs...)
	}
	slices.Sort(r.Local)
	r.Local = slices.Compact(r.Local)
	slices.SortStableFunc(r.Errors, func(a, b Error) int {
		return cmp.Or(cmp.Compare(filepath.ToSlash(a.Pos.Filename), filepath.ToSlash(b.Pos.Filename)),
			cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Msg, b.Msg))
	})
	return r
}
