// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// Declared parses packages whole, with comments, and type-checks their types and constants. Functions and variables are left out, and so
// is what only these lead to. The packages have Syntax and TypesInfo, and TypeErrors: those in type declarations of the project, be it of the
// package or of one that it imports. The files of a directory that is in files are those there, by their names, instead of those on disk;
// what does not compile then is not known.
func Declared(ctx context.Context, find Finder, paths []string, files map[string]map[string][]byte) ([]*packages.Package, error) {
	if err := find.Want(ctx, paths); err != nil {
		return nil, err
	}
	if len(files) > 0 {
		find = overlay{find, files}
	}
	all, torn, err := declared(ctx, find, paths, true)
	if err == nil && torn {
		all, _, err = declared(ctx, find, paths, false)
	}
	return all, err
}

func declared(ctx context.Context, find Finder, paths []string, cut bool) (all []*packages.Package, torn bool, err error) {
	w := newProgram(find)
	w.cut, w.declared = cut, true
	w.readAll(paths, true)
	if err := w.checkAll(ctx); err != nil {
		return nil, false, err
	}
	wrong, err := w.wrongTypes(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, path := range paths {
		p := w.pkgs[path]
		one := &packages.Package{
			ID: path, PkgPath: path, Name: p.name, Fset: w.fset, Types: p.types, TypesInfo: p.info, TypesSizes: types.SizesFor("gc", "amd64"),
			Syntax: p.syntax(), Module: p.module, TypeErrors: p.ofTypes(wrong),
		}
		for _, f := range p.files {
			one.GoFiles = append(one.GoFiles, f.name)
		}
		all = append(all, one)
	}
	return all, w.torn, nil
}

// checkAll reads what the packages import, and type-checks all in order. Type errors are kept of the packages that the caller asks for; those
// of others may be of what was not read, so that of those of the project the ones in type declarations are kept, for wrongTypes.
func (w *program) checkAll(ctx context.Context) error {
	w.keepWhole()
	w.follow(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := w.lost(); err != nil {
		return err
	}
	w.inOrder(ctx, func(p *pkg) {
		w.check(p, p.syntax(), func(e types.Error) {
			if !e.Soft && (p.whole && !w.declared || p.own && inTypeDecl(p.syntax(), e.Pos)) {
				p.wrong = append(p.wrong, e)
			}
		})
	})
	return context.Cause(ctx)
}

// declarations are those of a file that Declared and Whole keep: imports that are in use, types and constants, and for Whole all else.
func (f *file) declarations() (kept []ast.Decl) {
	for _, d := range f.original {
		g, ok := d.(*ast.GenDecl)
		switch {
		case !f.all && (!ok || g.Tok == token.VAR):
		case ok && g.Tok == token.IMPORT:
			own := *g
			own.Specs = nil
			for _, spec := range g.Specs {
				if s, ok := spec.(*ast.ImportSpec); ok && (f.kept[s] || importPath(s) == "") {
					own.Specs = append(own.Specs, spec)
				}
			}
			if len(own.Specs) > 0 {
				kept = append(kept, &own)
			}
		default:
			kept = append(kept, d)
		}
	}
	return kept
}

// isDeclared reports whether a declaration is of a type or of constants.
func isDeclared(d ast.Decl) bool {
	g, ok := d.(*ast.GenDecl)
	return ok && (g.Tok == token.TYPE || g.Tok == token.CONST)
}

// overlay is a Finder with other files of some directories.
type overlay struct {
	Finder
	files map[string]map[string][]byte
}

// Files is part of Finder.
func (o overlay) Files(dir string, each func(name string, src []byte) error) error {
	files, ok := o.files[dir]
	if !ok {
		return o.Finder.Files(dir, each)
	}
	for _, name := range sortedKeys(files) {
		if !isSource(name) {
			continue
		}
		match, err := o.Match(dir, name, files[name])
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnsupported, err)
		}
		if match {
			if err := each(name, files[name]); err != nil {
				return err
			}
		}
	}
	return nil
}
