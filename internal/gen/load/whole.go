// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"slices"

	"golang.org/x/tools/go/packages"
)

// Whole parses packages and type-checks them with the bodies of their functions; of what they import, there is what they lead to. The
// packages have Syntax, TypesInfo and TypeErrors: what depends on one of these has no type. Those in type declarations of packages of the project
// that a package imports are among its errors.
func Whole(ctx context.Context, find Finder, paths []string) ([]*packages.Package, error) {
	if err := find.Want(ctx, paths); err != nil {
		return nil, err
	}
	all, torn, err := whole(ctx, find, paths, true)
	if err == nil && torn {
		all, _, err = whole(ctx, find, paths, false)
	}
	return all, err
}

func whole(ctx context.Context, find Finder, paths []string, cut bool) (all []*packages.Package, torn bool, err error) {
	w := newProgram(find)
	w.cut, w.lean, w.bodies = cut, true, true
	w.readAll(paths, true)
	for _, p := range w.sorted() {
		for _, f := range p.files {
			for _, d := range f.original {
				w.selects(d)
			}
		}
	}
	if err := w.checkAll(ctx); err != nil {
		return nil, false, err
	}
	wrong, err := w.wrongTypes(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, path := range paths {
		p := w.pkgs[path]
		all = append(all, &packages.Package{ID: path, PkgPath: path, Name: p.name, Fset: w.fset, Types: p.types, TypesInfo: p.info, TypeErrors: slices.Concat(p.wrong, p.ofTypes(wrong)), Syntax: p.syntax(), Module: p.module})
	}
	return all, w.torn, nil
}

// withBodies reports whether all of a file counts, with the bodies of its functions.
func (w *program) withBodies(f *file) bool { return w.bodies && f.pkg.whole }
